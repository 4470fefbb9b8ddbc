"""Experiments that take from another one, have more than two levels, or mix more than two algorithms."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import mesonet
from fragments import holds
from mesonet.errors import InputError
from mesonet.experiments.network import experiment
from mesonet.scenarios.scenario import scenario

pytestmark = pytest.mark.process

GRID = """
name = "grid"
title = "Three speeds, two delays"
scenario = "dumbbell"
algorithms = ["tcp", "hstcp"]

[set.time]
duration = "2 s"
warmup = "0 s"
periods = 1

[[factors]]
id = "X1"
levels."network.speed" = ["1 seg/ms", "3 seg/ms", "2 seg/ms"]

[[factors]]
id = "X2"
minus = 1
plus = 2
"""


def written(folder: Path, text: str, name: str = "own.toml") -> Path:
    (folder / name).write_text(text)
    return folder / name


def test_more_than_two_levels_are_all_combinations(tmp_path: Path) -> None:
    chosen = experiment(written(tmp_path, GRID))
    assert [list(texts.values()) for texts in chosen.condition_texts()] == [
        ["1 seg/ms", "1"], ["3 seg/ms", "1"], ["2 seg/ms", "1"],
        ["1 seg/ms", "2"], ["3 seg/ms", "2"], ["2 seg/ms", "2"],
    ]  # fmt: skip
    assert [chosen.condition(number).value("network.speed") for number in (1, 2, 3)] == [1000, 3000, 2000]
    campaign = chosen.run(tmp_path / "out", workers=1, progress=False)
    again = mesonet.load(tmp_path / "out")
    assert campaign.counts == again.counts == {"done": 12, "failed": 0, "missing": 0}
    assert (again.rows.kind, again.rows.conditions, again.design.runs) == ("grid", 6, 0)
    delivered = again.response("segment_rate").filter(pl.col("algorithm") == "tcp").sort("condition")["value"]
    assert 0 < delivered[3] < delivered[0] < 1000  # twice the delay: later in slow start


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"3 seg/ms", "2 seg/ms"', '"1 seg/ms"', r'levels.network.speed\[1\] = "1 seg/ms": both levels are the same'),
        ('"2 seg/ms"', '"1 seg/ms"', r'levels.network.speed\[2\] = "1 seg/ms": two levels are the same'),
        ('"2 seg/ms"', '"2 s"', r"levels.network.speed\[2\]"),
        ("plus = 2\n", "plus = 2\n\n[design]\nruns = 2\n", "factor X1 has 3 levels: the conditions are all"),
        (
            '["1 seg/ms", "3 seg/ms", "2 seg/ms"]',
            '["1 seg/ms", "3 seg/ms", "2 seg/ms"]\nlevels."network.buffer" = ["1 bdp", "2 bdp"]',
            "2 levels, and 3 of network.speed",
        ),
    ],
)
def test_levels_that_do_not_fit_are_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in GRID
    with pytest.raises(InputError, match=message):
        experiment(written(tmp_path, GRID.replace(old, new)))


def test_a_base_gives_what_the_file_does_not_say(tmp_path: Path) -> None:
    written(
        tmp_path,
        GRID.replace(
            'levels."network.speed" = ["1 seg/ms", "3 seg/ms", "2 seg/ms"]', 'minus = "1 seg/ms"\nplus = "2 seg/ms"'
        ),
        "first.toml",
    )
    text = """
    base = "first.toml"
    name = "second"
    title = "Other levels of X2, one factor more"
    algorithms = ["cubic"]
    [set]
    "time.duration" = "3 s"
    [[factors]]
    id = "X2"
    minus = 3
    plus = 4
    [[factors]]
    id = "X16"
    minus = "2 segments"
    plus = "4 segments"
    """
    chosen = experiment(written(tmp_path, text, "second.toml"))
    assert (chosen.name, chosen.algorithms, chosen.conditions) == ("second", ("cubic",), 8)
    assert {factor.id: (factor.minus, factor.plus) for factor in chosen.factors} == {
        "X1": ("1 seg/ms", "2 seg/ms"), "X2": ("3", "4"), "X16": ("2 segments", "4 segments"),
    }  # fmt: skip
    assert chosen.condition(1).value("time.duration") == 3
    assert chosen.condition(1).value("time.periods") == 1


def test_paths_of_a_base_start_beside_it(tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir()
    for folder, number in ((tmp_path / "shared", 4), (tmp_path, 7)):
        written(folder, f'base = "dumbbell"\n[time]\nduration = "{number} s"\n', "net.toml")
        written(folder, f"time_s,rate_mbps\n0,{number}\n", "rates.csv")
    text = GRID.replace('"dumbbell"', '"net.toml"').replace(
        "[set.time]\nduration", '[set]\nimpairments.capacity = "rates.csv"\n#'
    )
    written(tmp_path / "shared", text.replace("warmup", "time.warmup").replace("periods", "time.periods"), "first.toml")
    file = written(tmp_path, 'base = "shared/first.toml"\nname = "b"\ntitle = "B"\n')
    chosen = experiment(file).condition(1)
    assert chosen.value("time.duration") == 4
    assert chosen.value("impairments.capacity")["points"] == [[0.0, 4e6 / 12000]]


def test_the_last_file_sets_a_value_by_any_of_its_names(tmp_path: Path) -> None:
    texts = {
        "first.toml": GRID,
        "middle.toml": 'base = "first.toml"\nname = "m"\ntitle = "M"\n[set]\nduration = "50 s"\n',
        "last.toml": 'base = "middle.toml"\nname = "l"\ntitle = "L"\n[set]\n"time.duration" = "30 s"\n',
    }
    for name, text in texts.items():
        written(tmp_path, text, name)
    assert experiment(tmp_path / "middle.toml").condition(1).value("time.duration") == 50
    assert experiment(tmp_path / "last.toml").condition(1).value("time.duration") == 30


@pytest.mark.parametrize(
    ("old", "new", "path"),
    [
        ("duration", "durations", "set."), ('id = "X2"', 'id = 2', "factors[1].id"), ("algorithms", "algos", "algos"),
        ('scenario = "', 'scenario = "none', "scenario"),
    ],
)  # fmt: skip
def test_a_message_names_the_base_whose_value_is_wrong(tmp_path: Path, old: str, new: str, path: str) -> None:
    assert old in GRID
    base = written(tmp_path, GRID.replace(old, new, 1), "first.toml")
    file = written(tmp_path, 'base = "first.toml"\nname = "b"\ntitle = "B"\n')
    with pytest.raises(InputError) as refused:
        experiment(file)
    assert refused.value.file == str(base)
    assert (refused.value.path or "").startswith(path)


def test_a_base_is_known_by_any_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path)
    written(tmp_path, 'base = "sub/../loop.toml"\nname = "l"\ntitle = "L"\n', "loop.toml")
    written(tmp_path, 'base = "sub/../ring.toml"\n', "ring.toml")
    written(tmp_path, 'base = "dumbbell"\n[time]\nduration = "3 s"\n', "dumbbell.toml")
    for load, name in ((experiment, "loop.toml"), (scenario, "ring.toml")):
        with pytest.raises(InputError, match="is its own base"):
            load(name)
    assert scenario("./dumbbell.toml").value("time.duration") == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('base = "none"', "base"),
        ("base = 3", "base = 3: not text"),
        ('base = "own.toml"', "the experiment is its own base"),
        ('base = "demo"\ntitle = "no name"', "name"),
    ],
)
def test_a_base_that_is_none_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, text)
    with pytest.raises(InputError, match=message) as refused:
        experiment("own.toml")
    assert refused.value.file == "own.toml"


def test_a_base_with_a_model_is_refused(tmp_path: Path) -> None:
    written(tmp_path, 'name = "first"\ntitle = "A queue"\nmodel = {function = "queue.py:queue"}\n', "first.toml")
    file = written(tmp_path, 'base = "first.toml"\nname = "own"\ntitle = "None"\n')
    with pytest.raises(InputError) as refused:
        experiment(file)
    assert holds(str(refused.value), f'{file}: base = "first.toml": ', "with a model", "Allowed: ", "with a network")


SHARES = """
base = "mix"
name = "own"
title = "Shares"

[[factors]]
id = "X15b"
path = "mixed_share.PATH"
minus = 0.2
plus = PLUS
"""


@pytest.mark.parametrize(
    ("path", "plus", "algorithm", "message"),
    [
        ("cubic", "0.8", "fast", "the shares sum to 1.1"),
        ("cubc", "0.6", "fast", "unknown algorithm"),
        ("cubic", "0.6", "cubic", "cubic has two shares"),
    ],
)
def test_shares_that_do_not_fit_are_refused(tmp_path: Path, path: str, plus: str, algorithm: str, message: str) -> None:
    file = written(tmp_path, SHARES.replace("PATH", path).replace("PLUS", plus))
    with pytest.raises(InputError, match=message):
        experiment(file, algorithms=[algorithm]).check(force=True)


def test_a_shorter_run_keeps_changes_windows_and_levels_in_proportion(tmp_path: Path) -> None:
    text = (
        "proportional = true\n"
        + GRID
        + '[[factors]]\nid = "S"\npath = "flows[0].start"\nminus = "0.5 s"\nplus = "1 s"\n'
        '[[set.flows]]\nfrom = "A"\nto = "B"\nstart_within = "200 ms"\n'
        '[[set.network.changes]]\ntime = "1 s"\nrouter = "A"\nfactor = 0.5\n'
    )
    own = experiment(written(tmp_path, text), duration="20 s").condition(7)
    (flow,), (change,) = own.value("flows"), own.value("network.changes")
    assert (flow["start"], flow["start_within"], change["time"]) == (10, 2, 10)


def test_a_shorter_run_has_the_same_story(tmp_path: Path) -> None:
    flow = '[[set.flows]]\nfrom = "A"\nto = "B"\nstart = "1 s"\nstop = "1500 ms"\n\n[[factors]]\nid = "X1"'
    text = GRID.replace('[[factors]]\nid = "X1"', flow).replace('warmup = "0 s"', 'warmup = "500 ms"')
    own = experiment(written(tmp_path, "proportional = true\n" + text), duration="20 s").condition(1)
    (moved,) = own.value("flows")
    assert (own.value("time.duration"), own.value("time.warmup")) == (20, 5)
    assert (moved["start"], moved["stop"]) == (10, 15)
    still = experiment(written(tmp_path, text), duration="20 s").condition(1)
    assert (still.value("flows")[0]["start"], still.value("time.warmup")) == (1, 0.5)


def test_advice_on_a_duration_can_be_taken_where_it_is_given() -> None:
    with pytest.raises(InputError) as caught:
        experiment("dumbbell-pairs", algorithms=["tcp"], duration="100 s").document()
    assert "--duration: time.duration" in str(caught.value)
    assert "a shorter time.warmup: --set warmup=" in str(caught.value.allowed)
    late = r'^--duration: time.duration = "200 s": '
    late += r"the run ends before flows\[1\] starts at 300 s. Allowed: at least 300 s$"
    with pytest.raises(InputError, match=late):
        experiment("latencies", duration="200 s").document()
    assert experiment("latencies", duration="300 s").condition(1).describe()


@pytest.mark.parametrize("listed", ["cubic=0.5 tcp=0.5", "cubic=.5, tcp=.5"])
def test_a_mix_is_run_as_one_algorithm_is(tiny: Path, tmp_path: Path, listed: str) -> None:
    mixed = "cubic=0.5, tcp=0.5"
    tiny.write_text(tiny.read_text().replace('["tcp", "scalable"]', f'["{listed}"]'))
    chosen = experiment(tiny)
    assert chosen.algorithms == experiment("dumbbell-pairs", algorithms=[listed]).algorithms == (mixed,)
    paths = {row["path"] for row in chosen.parameters()}
    assert {"parameters.cubic.beta", "parameters.cubic.c"} <= paths
    runs = chosen.run(tmp_path / "out", progress=False).runs
    assert (set(runs["algorithm"]), set(runs["status"])) == ({mixed}, {"done"})
