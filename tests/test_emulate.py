"""Emulators: predictions with bands, their check, refusals, conditions that are added, and the sliders of the page."""

from __future__ import annotations

import base64
import gzip
import json
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner, Result

import mesonet as mn
from conftest import Shared
from hill import FACTORS, decades, hill
from mesonet.campaign import Campaign
from mesonet.campaign.ledger import ADDED_FILE, EXPERIMENT, Ledger
from mesonet.cli.verbs import main
from mesonet.emulation import surface as process
from mesonet.emulation.inputs import is_logarithmic
from mesonet.errors import InputError
from mesonet.reporting.page.document import report_html

pytest.importorskip("sklearn")
pytestmark = pytest.mark.process
Floats = np.ndarray


def made(folder: Path, **more: object) -> Campaign:
    about = {"replicates": 2, "design": {"kind": "latin-hypercube", "runs": 24}, **more}
    algorithms = ["single", "double"]
    chosen = mn.experiment(model=hill, factors=FACTORS, algorithms=algorithms, responses={"steep": "m"}, **about)
    return chosen.run(folder / "out", workers=2, progress=False)


@pytest.fixture(scope="module")
def campaign(shared: Shared) -> Campaign:
    """24 points, two algorithms, two replicates; tests only read it."""
    return mn.load(shared.folder("emulated", made) / "out")


def call(*arguments: str | Path, code: int = 0) -> Result:
    done = CliRunner().invoke(main, [str(each) for each in arguments])
    assert done.exit_code == code, done.output
    return done


def noisy(rng: np.random.Generator, points: Floats, runs: int) -> tuple[Floats, Floats]:
    """A surface whose noise grows tenfold with the first input: true means, and runs."""
    truth = np.exp(2 * points[:, 0]) + 3 * points[:, 1]
    sd = 0.05 + 0.45 * points[:, 0]
    return truth, truth[:, None] + sd[:, None] * rng.standard_normal((len(points), runs))


def test_the_surface_finds_the_truth_and_the_noise_of_each_place() -> None:
    rng = np.random.default_rng(1)
    points, new = rng.random((60, 2)), rng.random((400, 2))
    _, runs = noisy(rng, points, 4)
    noise = process.noise_of(points, runs.var(axis=1, ddof=1), np.full(60, 4))
    surface = process.fit(points, runs.mean(axis=1), noise.at(points) / 4, known_noise=True)
    truth, others = noisy(rng, new, 4)
    mean, variance = surface.at(new)
    assert np.sqrt(np.mean((mean - truth) ** 2)) < 0.1 < 0.05 * np.std(truth)
    ends = noise.at(np.array([[0.05, 0.5], [0.95, 0.5]]))
    assert ends[1] > 10 * ends[0]
    far = np.abs(others.mean(axis=1) - mean) / np.sqrt(variance + surface.nugget + noise.at(new) / 4)
    assert 0.9 < np.mean(far < 1.96) < 0.99


def test_equal_noise_stays_equal() -> None:
    rng = np.random.default_rng(2)
    points = rng.random((40, 2))
    noise = process.noise_of(points, 4 * rng.chisquare(2, 40) / 2, np.full(40, 3))
    assert np.ptp(noise.at(points)) < 0.5 * np.mean(noise.at(points))
    assert np.mean(noise.at(points)) == pytest.approx(4, rel=0.4)


def test_what_is_left_out_is_predicted_as_without_it() -> None:
    rng = np.random.default_rng(3)
    points = rng.random((20, 2))
    values, noise = np.sin(3 * points[:, 0]) + points[:, 1], np.full(20, 1e-3)
    whole = process.fit(points, values, noise, known_noise=True)
    mean, variance = whole.left_out(lambda place: whole.shape)
    for place in (0, 7):
        kept = np.arange(20) != place
        other = process.Surface(
            points[kept], whole.centre, whole.scale, whole.values[kept], whole.noise[kept], whole.shape
        )
        expected = other.at(points[[place]])
        assert (mean[place], variance[place]) == pytest.approx((expected[0][0], expected[1][0]))


def test_predictions_have_the_unit_and_the_truth_in_their_band(campaign: Campaign) -> None:
    emulator = mn.emulate(campaign, "steep", algorithm="double")
    one = emulator.predict({"x": 0.5, "y": 5, "z": 2})
    assert (one.unit, one.runs, one.level) == ("m", 2, 0.95)
    assert one.low < 2 * np.exp(1.5) - 5 < one.high
    assert one.low <= one.mean_low < one.mean < one.mean_high <= one.high
    both = emulator.predict([{"x": 0.5, "y": 5, "z": 2}, {"X": "1/2", "y": "5", "z": 2}], level=0.5)
    assert both.mean == pytest.approx([one.mean, one.mean])
    assert both.high[0] - both.low[0] < 0.4 * (one.high - one.low)
    assert both.to_polars().columns == ["setting", "mean", "low", "high", "mean_low", "mean_high"]
    assert emulator.check.q2 > 0.999
    assert emulator.check.coverage >= 0.9
    assert emulator.check.rmse < 0.2
    rows = emulator.check.to_polars()
    expected = campaign.response("steep").filter(algorithm="double").group_by("condition").agg(pl.col("value").mean())
    assert rows["observed"].to_list() == pytest.approx(expected.sort("condition")["value"].to_list())


def test_a_response_of_noise_is_not_explained(campaign: Campaign) -> None:
    text = str(mn.emulate(campaign, "bent", algorithm="single").check.sentences)
    assert "poor" not in text
    noise = campaign.responses.with_columns(
        value=pl.when(pl.col("response") == "bent").then(pl.col("value").hash(1) % 1000).otherwise("value")
    )
    check = mn.emulate(replace(campaign, responses=noise), "bent", algorithm="single").check
    assert check.q2 < 0.3
    assert "run more conditions" in str(check.sentences)


def test_a_logarithmic_scale_is_taken_where_it_predicts_better(tmp_path: Path) -> None:
    factors = {"x": (0.0, 1.0), "y": (0.001, 1.0)}
    about = {"factors": factors, "replicates": 2, "design": {"kind": "sobol", "runs": 32}}
    found = mn.experiment(model=decades, **about).run(tmp_path / "out", progress=False)
    emulator = mn.emulate(found, "level", log=["y"])
    assert emulator.log
    assert "logarithms" in " ".join(emulator.notes)
    assert emulator.predict({"x": 0.5, "y": 0.1}).mean == pytest.approx(10**1.4, rel=0.2)
    assert not mn.emulate(found, "below").log
    with pytest.raises(InputError, match="no logarithm of the response"):
        mn.emulate(found, "below", scale="log")
    with pytest.raises(InputError, match=r'log = "x": a value of it has no logarithm'):
        mn.emulate(found, "level", log=["x"])


REFUSED = [
    ({"x": 2, "y": 5, "z": 2}, r"x = 2: outside of the range of the campaign. Allowed: from 0 to 1"),
    ({"x": 0.5, "y": 5}, r"z: missing. Allowed: whole numbers from 1 to 3"),
    ({"x": 0.5, "y": 5, "z": 1.5}, "z = 1.5: not a whole number"),
    ({"x": "much", "y": 5, "z": 2}, 'x = "much": not a number'),
    ({"x": True, "y": 5, "z": 2}, "x = true: not a number"),
    ({"x": float("nan"), "y": 5, "z": 2}, "x = nan"),
    ({"x": 0.5, "X": 0.5, "y": 5, "z": 2}, "X = 0.5: given twice"),
    ({"w": 1}, '"w": unknown factor'),
    ("x=1", "no settings"),
]


@pytest.mark.parametrize(("settings", "message"), REFUSED)
def test_settings_are_refused(campaign: Campaign, settings: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        mn.emulate(campaign, "steep", algorithm="single").predict([settings])  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("about", "message"),
    [
        ({"response": "steep"}, "an emulator is of one algorithm. Allowed: single, double"),
        ({"response": "steep", "algorithm": "triple"}, 'algorithm = "triple": unknown algorithm'),
        ({"response": "steeps", "algorithm": "single"}, "unknown response .nearest: steep"),
        ({"response": "same", "algorithm": "single"}, "the response is the same in all conditions"),
        ({"response": "steep", "algorithm": "single", "period": "2"}, "unknown period"),
        ({"response": "steep", "algorithm": "single", "scale": "square"}, "unknown scale"),
        ({"response": "steep", "algorithm": "single", "log": ["w"]}, 'log = "w": unknown factor'),
    ],
)
def test_emulators_are_refused(campaign: Campaign, about: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        mn.emulate(campaign, **about)


def test_few_conditions_are_refused_and_lost_runs_are_said(campaign: Campaign) -> None:
    def only(last: int) -> Campaign:
        return replace(campaign, responses=campaign.responses.filter(pl.col("condition") <= last))

    with pytest.raises(InputError, match=r"steep: 14 conditions with a value for 3 factors. Allowed: 15 to 2000"):
        mn.emulate(only(14), "steep", algorithm="single")
    notes = " ".join(mn.emulate(only(20), "steep", algorithm="single").notes)
    assert "20 of 24 conditions have a value" in notes
    assert "30 are enough as a rule" in notes


def test_words_are_levels_of_a_grid(tmp_path: Path) -> None:
    file = tmp_path / "disciplines.toml"
    file.write_text(
        'name = "d"\ntitle = "d"\nscenario = "abilene"\nalgorithms = ["cubic"]\n[set]\n"time.duration" = "2 s"\n'
        '"users.base_sources" = 2\n[[factors]]\nid = "queue"\n'
        'levels."aqm.discipline" = ["drop_tail", "codel"]\n[[factors]]\nid = "speed"\n'
        'levels."network.speed" = ["6 seg/ms", "10 seg/ms", "20 seg/ms", "30 seg/ms", "40 seg/ms"]\n'
    )
    found = mn.experiment(file).run(tmp_path / "out", workers=2, progress=False)
    emulator = mn.emulate(found, "rtt")
    one = {
        name: emulator.predict({"queue": name, "network.speed": "15 seg/ms"}).mean for name in ("drop_tail", "codel")
    }
    assert one["drop_tail"] != one["codel"]
    with pytest.raises(InputError, match=r'queue = "red": no level of the campaign. Allowed: drop_tail or codel'):
        emulator.predict({"queue": "red", "speed": "15 seg/ms"})
    with pytest.raises(InputError, match=r"Allowed: from 6 seg/ms to 40 seg/ms"):
        emulator.predict({"queue": "codel", "speed": "50 seg/ms"})
    assert "One run of each condition" in " ".join(emulator.notes)
    assert mn.emulate(found, "goodput").unit == "segments/s"
    done = call("experiment", "run", tmp_path / "out", "--add", 2, "--for", "rtt", code=2)
    assert "not a sampled campaign" in done.stderr


def test_next_points_lower_the_uncertainty_more_than_others(campaign: Campaign) -> None:
    emulator = mn.emulate(campaign, "steep", algorithm="single")
    found = emulator.next_points(8)
    assert found.places.shape == (8, 3)
    assert np.unique(found.places, axis=0).shape == (8, 3)
    assert (np.diff(found.uncertainty) < 0).all()
    assert set(found.values[:, 2]) <= {1.0, 2.0, 3.0}
    again = mn.emulate(campaign, "steep", algorithm="single").next_points(8)
    assert again.places.tolist() == found.places.tolist()
    with pytest.raises(InputError, match=r"number = 0"):
        emulator.next_points(0)


def test_the_command_predicts_and_refuses(campaign: Campaign) -> None:
    settings = ("--at", "x=0.5", "--at", "y=5", "--at", "z=2")
    done = call("emulate", campaign.path, "--response", "steep", "--algorithm", "double", *settings, "--next", 2)
    assert done.stdout.startswith("steep: 3.9") or done.stdout.startswith("steep: 4")
    assert " m, 95% band from " in done.stdout
    assert "Q²" in done.stdout
    about = json.loads(
        call("emulate", campaign.path, "--response", "steep", "--algorithm", "double", *settings, "--json").stdout
    )
    assert about["prediction"]["low"] < about["prediction"]["mean"] < about["prediction"]["high"]
    assert about["unit"] == "m"
    assert [each["id"] for each in about["factors"]] == ["x", "y", "z"]
    plain = call("emulate", campaign.path, "--response", "steep", "--algorithm", "double").stdout
    assert "whole numbers from 1 to 3" in plain
    wrong = ("emulate", campaign.path, "--response", "steep", "--algorithm", "double")
    assert "not PATH=VALUE" in call(*wrong, "--at", "x", code=2).stderr
    assert "given twice" in call(*wrong, "--at", "x=1", "--at", "x=1", code=2).stderr
    assert "--level = 2" in call(*wrong, *settings, "--level", 2, code=2).stderr
    assert "--at x" not in call(*wrong, "--at", "x=7", code=2).stdout


def test_conditions_are_added_where_the_command_was_killed(campaign: Campaign, tmp_path: Path) -> None:
    first, other = (shutil.copytree(campaign.path, tmp_path / name) for name in ("first", "other"))
    found = mn.add_conditions(first, 3, response="steep", workers=2, progress=False, trusted=True)
    assert found.counts == {"done": 108, "failed": 0, "missing": 0}
    assert found.rows.conditions == 27
    held = {key: value for key, value in found.experiment.items() if key not in ("design", "scenarios", "additions")}
    assert all(campaign.experiment[key] == value for key, value in held.items())
    assert found.runs["key"].to_list()[: campaign.runs.height] == campaign.runs["key"].to_list()
    assert (first / EXPERIMENT).read_bytes() == (campaign.path / EXPERIMENT).read_bytes()
    whole = found.experiment["scenarios"][-1]["scenario"]["parameters"]
    assert isinstance(whole["z"], int)
    assert isinstance(whole["y"], float)
    # A copy that was killed after the conditions were written: the same command continues, and adds nothing.
    shutil.copy(first / ADDED_FILE, other)
    done = call("experiment", "run", other, "--add", 3, "--for", "steep", "--trust", "--workers", 2)
    assert "continued with the 3 conditions" in done.stderr
    assert (other / ADDED_FILE).read_bytes() == (first / ADDED_FILE).read_bytes()
    assert set(Ledger(other).statuses()) == set(Ledger(first).statuses())
    call("experiment", "run", other, "--add", 1, "--for", "steep", "--workers", 2)
    more = mn.load(other)
    assert [each["conditions"] for each in more.experiment["additions"]] == [3, 1]
    assert more.rows.matrix[:27].tolist() == found.rows.matrix.tolist()
    # The experiment that began the campaign still runs it.
    chosen = mn.experiment(
        model=hill, factors=FACTORS, algorithms=["single", "double"], responses={"steep": "m"}, replicates=2,
        design={"kind": "latin-hypercube", "runs": 24},
    )  # fmt: skip
    assert chosen.run(other, progress=False).rows.conditions == 28
    assert (other / EXPERIMENT).read_bytes() == (campaign.path / EXPERIMENT).read_bytes()


def test_a_kill_during_an_addition_changes_no_result(campaign: Campaign, tmp_path: Path) -> None:
    first, other = (shutil.copytree(campaign.path, tmp_path / name) for name in ("first", "other"))
    words = [sys.executable, "-m", "mesonet", "experiment", "run", "--add", "3", "--for", "steep", "--trust"]
    subprocess.run([*words, "--workers", "2", str(first)], check=True, capture_output=True)
    process = subprocess.Popen([*words, "--workers", "1", str(other)], stderr=subprocess.DEVNULL)
    until = time.monotonic() + 120
    while not (other / ADDED_FILE).exists() and time.monotonic() < until and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    subprocess.run([*words, "--workers", "2", str(other)], check=True, capture_output=True)
    one, two = mn.load(first), mn.load(other)
    if len(two.experiment["additions"]) == 1:  # killed before all runs were finished
        assert two.runs["key"].to_list() == one.runs["key"].to_list()
        assert two.responses.equals(one.responses)
    assert (first / ADDED_FILE).exists()
    assert two.counts["missing"] == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--add", "2"), "--add = 2: is one half of an addition. Allowed: --for RESPONSE, too"),
        (("--for", "steep"), '--for = "steep": is one half of an addition. Allowed: --add N, too'),
        (("--add", "0", "--for", "steep"), "--add = 0"),
        (("--add", "300", "--for", "steep"), "--add = 300"),
        (("--add", "2", "--for", "steeps"), "unknown response"),
        (("--add", "2", "--for", "same"), "the same in all conditions"),
        (("--add", "2", "--for", "steep", "--until", "decided"), "--until"),
    ],
)
def test_additions_are_refused(campaign: Campaign, tmp_path: Path, words: tuple[str, ...], message: str) -> None:
    folder = shutil.copytree(campaign.path, tmp_path / "out")
    done = call("experiment", "run", folder, "--trust", *words, code=2)
    assert message in done.stderr
    assert not (folder / ADDED_FILE).exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rows": []}, "not the rows of the additions"),
        ({"rows": [[2, 0, 0]]}, "not the rows of the additions"),
        ({"scenarios": []}, "not the scenarios of the additions"),
        ({"additions": []}, "additions"),
    ],
)
def test_a_changed_file_of_additions_is_refused(campaign: Campaign, tmp_path: Path, change: dict, message: str) -> None:
    folder = shutil.copytree(campaign.path, tmp_path / "out")
    scenarios = [{**each, "condition": 25} for each in campaign.experiment["scenarios"][:2]]
    content = {"additions": [{"response": "steep", "conditions": 1}], "rows": [[0, 0, 0]], "scenarios": scenarios}
    (folder / ADDED_FILE).write_text(json.dumps(content))
    assert mn.load(folder).rows.conditions == 25
    (folder / ADDED_FILE).write_text(json.dumps({**content, **change}))
    with pytest.raises(InputError, match=message):
        mn.load(folder)


def test_the_page_has_the_emulators(campaign: Campaign) -> None:
    page = report_html(campaign)
    text = re.search(r'<script type="text/plain" id="emulator-data">([^<]+)</script>', page)
    assert text is not None
    data = json.loads(gzip.decompress(base64.b64decode(text[1])))
    assert {(each["response"], each["algorithm"]) for each in data["emulators"]} >= {("steep", "double")}
    assert [each["id"] for each in data["factors"]] == ["x", "y", "z"]
    assert data["factors"][2]["texts"] == ["1", "2", "3"]
    assert data["simulated"] is None
    assert "No prediction of" in page


def test_without_the_library_the_command_and_the_page_name_the_extra(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.gaussian_process", None)
    done = call("emulate", campaign.path, "--response", "steep", "--algorithm", "single", code=1)
    assert 'pip install "mesonet[emulate]"' in done.stderr
    assert "mesonet[emulate]" in report_html(campaign)


def test_a_fit_has_the_same_bytes(campaign: Campaign) -> None:
    one, two = (mn.emulate(campaign, "steep", algorithm="single") for _ in range(2))
    assert json.dumps(one.as_dict()) == json.dumps(two.as_dict())
    settings = [{"x": x, "y": 5, "z": 1} for x in np.linspace(0, 1, 5)]
    assert one.predict(settings).high.tobytes() == two.predict(settings).high.tobytes()


def table_of() -> dict[str, list]:
    rng = np.random.default_rng(1)
    speed, share, queue = 10 ** rng.uniform(0, 3, 40), rng.uniform(0, 1, 40), rng.choice(["codel", "tail"], 40)
    value = np.log(speed) + 3 * share + (queue == "tail") + rng.normal(0, 0.05, 40)
    return {"speed": speed.tolist(), "a share": share.tolist(), "queue": queue.tolist(), "wait": value.tolist()}


@pytest.mark.parametrize("kind", ["polars", "pandas", "dict"])
def test_a_table_is_emulated(kind: str) -> None:
    table = table_of()
    frame = pl.DataFrame(table) if kind == "polars" else table
    if kind == "pandas":
        frame = pytest.importorskip("pandas").DataFrame(table)
    found = mn.emulate(frame, "wait", unit="s")
    at = found.predict({"speed": 100, "a share": 0.5, "queue": "tail"})
    assert at.low < np.log(100) + 2.5 < at.high
    assert at.high - at.low < 0.5
    assert (at.unit, [each.log for each in found.inputs]) == ("s", [True, False, False])
    assert "On a logarithmic scale: speed." in found.notes
    assert [each.log for each in mn.emulate(frame, "wait", log=[]).inputs] == [False, False, False]
    assert found.check.q2 > 0.98
    with pytest.raises(InputError, match="outside of the range"):
        found.predict({"speed": 1e6, "a share": 0.5, "queue": "tail"})
    with pytest.raises(InputError, match="no level"):
        found.predict({"speed": 10, "a share": 0.5, "queue": "red"})


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"response": "weight"}, "unknown column"), ({"factors": ["speeds"]}, "unknown column"),
        ({"factors": ["wait"]}, "is the response"), ({"log": ["queue"]}, "no number"), ({"log": ["cost"]}, "unknown"),
        ({"algorithm": "cubic"}, "goes with a campaign"), ({"period": "measured"}, "goes with a campaign"),
        ({"response": "queue"}, "not a number"), ({"scale": "cubic"}, "unknown scale"),
    ],
)  # fmt: skip
def test_a_table_is_refused_with_a_reason(given: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        mn.emulate(table_of(), **{"response": "wait", **given})


def test_few_rows_and_arguments_of_tables(campaign: Campaign) -> None:
    with pytest.raises(InputError, match="8 conditions"):
        mn.emulate({name: values[:8] for name, values in table_of().items()}, "wait")
    for given in ({"factors": ["x"]}, {"unit": "s"}):
        with pytest.raises(InputError, match="goes with a table"):
            mn.emulate(campaign, "steep", algorithm="single", **given)


def test_a_file_is_emulated(tmp_path: Path) -> None:
    pl.DataFrame(table_of()).write_csv(tmp_path / "runs.csv")
    at = ("--at", "speed=100", "--at", "a share=0.5", "--at", "queue=tail")
    done = call("emulate", tmp_path / "runs.csv", "--response", "wait", "--unit", "s", *at, "--json")
    document = json.loads(done.stdout)
    assert document["prediction"]["mean"] == pytest.approx(np.log(100) + 2.5, abs=0.2)
    assert [each["id"] for each in document["factors"]] == ["speed", "a share", "queue"]
    few = call("emulate", tmp_path / "runs.csv", "--response", "wait", "--factors", "speed", "--log", "none")
    assert "logarithmic" not in few.stdout


def test_ranges_are_logarithmic_if_values_spread_over_decades() -> None:
    rng = np.random.default_rng(4)
    assert not any(is_logarithmic(rng.uniform(1, 100, 16)) for _ in range(20))
    assert all(is_logarithmic(10 ** (3 * (np.arange(16) + rng.uniform(size=16)) / 16)) for _ in range(20))
    assert is_logarithmic(np.array([1.0, 10.0, 100.0]))
    assert is_logarithmic(np.array([2.0, 20.0]))
    assert not is_logarithmic(np.array([2.0, 19.0]))
    assert not is_logarithmic(np.array([1.0, 50.0, 100.0]))
    assert not is_logarithmic(np.array([0.0, 10.0, 100.0]))
