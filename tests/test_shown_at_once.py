"""Output without a report: verdicts after the runs of an experiment, figures of a run, and the whole of the help."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import polars as pl
import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

import mesonet as mn
from fragments import holds
from mesonet.charts.in_terminal import in_terminal
from mesonet.cli.verbs import main
from mesonet.reporting.campaign_view.values import Values
from mesonet.simulation.courses import DELAY, THROUGHPUT, WINDOW, courses


def shown(*words: object, width: int = 120) -> str:
    done = CliRunner().invoke(main, list(map(str, words)), env={"COLUMNS": str(width)}, terminal_width=width)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_verdicts_of_a_finished_campaign(tiny_campaign: Path) -> None:
    verdicts = mn.verdict(mn.load(tiny_campaign))
    names = mn.load(tiny_campaign).algorithms
    assert [each["algorithm"] for each in verdicts] == [name for name in names if name != "tcp"]
    assert all(each["why"] and each["responses"] for each in verdicts)
    assert json.loads(shown("experiment", "run", tiny_campaign, "--json"))["verdicts"] == verdicts

    text = shown("experiment", "run", tiny_campaign)
    assert "tcp replaced by" in text
    assert all(each["verdict"] in text for each in verdicts)
    assert f"next: mesonet report {tiny_campaign}" in text
    assert "verdict" not in shown("experiment", "status", tiny_campaign)


def test_a_campaign_of_one_algorithm_has_no_verdict(one_factor_campaign: Path) -> None:
    assert mn.verdict(mn.load(one_factor_campaign)) == []
    assert "next: mesonet report" in shown("experiment", "run", one_factor_campaign)


def test_a_campaign_without_the_incumbent_has_the_reason_instead(
    tiny_campaign: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mesonet.reporting.verdicts.comparisons.DEPLOYED", ("vegas",))
    text = " ".join(shown("experiment", "run", tiny_campaign).split())
    assert holds(text, "the incumbent, vegas, is not among the algorithms", "mesonet report --against", "next: mesonet")
    answered = json.loads(shown("experiment", "run", tiny_campaign, "--json"))
    assert answered["verdicts"] == []
    assert "the incumbent, vegas" in answered["no_verdict"]


def test_an_incumbent_that_is_not_there_is_refused(tiny_campaign: Path) -> None:
    with pytest.raises(mn.InputError, match="vegas"):
        mn.verdict(mn.load(tiny_campaign), against="vegas")


@pytest.mark.parametrize("width", [80, 120])
def test_the_list_of_commands_is_not_cut(width: int) -> None:
    text = " ".join(shown("--help", width=width).split())
    assert holds(text, "design Show the effects", "EXPERIMENT", "best known design")
    assert "a mix" not in text  # of the verb run alone
    assert text.count("...") == 2, "the usage, and the list of what can be listed"


def test_the_help_uses_a_wide_terminal() -> None:
    assert max(map(len, shown("run", "--help", width=200).splitlines())) > 90


def test_a_run_is_drawn_flow_by_flow() -> None:
    result = mn.simulate(mn.scenario("dumbbell", algorithm="tcp", duration="20 s"), seed=1)
    chart = mn.plot(result, title="One run")
    (samples,) = chart._tables.values()
    assert samples["panel"].unique(maintain_order=True).to_list() == [THROUGHPUT, WINDOW, DELAY]
    assert samples["line"].unique(maintain_order=True).to_list() == ["flow 1, tcp", "mean of all segments"]
    series = result.series.to_polars()
    rates = samples.filter(pl.col("panel") == THROUGHPUT)["value"]
    bits = series["flow_1_delivered"][-1] * 1500 * 8 / 1e6
    assert (rates * series["time_s"].diff().fill_null(series["time_s"][0])).sum() == pytest.approx(bits)
    assert samples.filter(pl.col("panel") == WINDOW)["value"].to_list() == series["flow_1_cwnd"].to_list()


MIXED = """
base = "dumbbell"
network = {{ queue = "port", speed = "20 Mbit/s", delay_multiplier = 0.1, buffer = "100 ms" }}
aqm = {{ discipline = "fq_codel" }}
time = {{ duration = "4 s", warmup = "1 s", periods = 1 }}
flows = [{flows}]
"""


def mixed(tmp_path: Path, *flows: str) -> Path:
    path = tmp_path / "mixed.toml"
    ends = 'from = "A", to = "B"'
    path.write_text(MIXED.format(flows=", ".join(f"{{ {ends}, {flow} }}" for flow in flows)))
    return path


LARGE, SMALL = 'algorithm = "cubic"', 'algorithm = "bbr3", segment_bytes = 300'
CALL = 'transport = "udp", application = "constant", rate = "4 Mbit/s", segment_bytes = 300'


def in_bits(text: str) -> dict[str, str]:
    """Return the last cells of the responses with a value in bits or bytes."""
    rows = (line.split("  ") for line in text.split("busiest queue")[0].splitlines())
    cells = {row[0]: row[-1].strip() for row in rows if len(row) > 1}
    return {name: cell for name, cell in cells.items() if cell[:1].isdigit() and cell[-1:] in "sB"}


def test_bits_and_bytes_follow_the_segments_of_the_flows(tmp_path: Path) -> None:
    found = in_bits(text := shown("run", mixed(tmp_path, CALL)))
    assert found["segment_rate"] == found["segments_leaving"] == "4 Mbit/s"
    assert float(found["datagrams_sent"].removesuffix(" MB")) == pytest.approx(4e6 / 8 * 3 / 1e6, rel=0.01)
    assert "different sizes" not in text

    found = in_bits(text := shown("run", mixed(tmp_path, LARGE, CALL)))
    assert set(found) == {
        "cwnd", "total_data_segments_sent", "total_data_segments_delivered", "datagrams_sent", "datagrams_delivered",
    }  # fmt: skip
    assert text.count("different sizes") == 1

    found = in_bits(text := shown("run", mixed(tmp_path, LARGE, SMALL)))
    assert found == {}
    assert text.count("different sizes") == 1


def test_flows_with_segments_of_different_sizes_are_drawn_in_bits(tmp_path: Path) -> None:
    samples = courses(mn.simulate(mn.scenario(mixed(tmp_path, LARGE, SMALL)), seed=1))
    late = samples.filter((pl.col("panel") == THROUGHPUT) & (pl.col("time_s") > 1))
    rates = dict(late.group_by("line").agg(pl.col("value").mean()).iter_rows())
    assert rates == {"flow 1, cubic": pytest.approx(10, rel=0.2), "flow 2, bbr3": pytest.approx(10, rel=0.2)}

    many = courses(mn.simulate(mn.scenario(mixed(tmp_path, *[LARGE] * 4, *[SMALL] * 4)), seed=1))
    assert THROUGHPUT not in many["panel"].to_list()
    alike = courses(mn.simulate(mn.scenario(mixed(tmp_path, *[CALL] * 7)), seed=1))
    assert alike.filter(panel=THROUGHPUT, line="all flows")["value"][-1] == pytest.approx(20, rel=0.05)


@pytest.mark.parametrize(("flows", "size"), [((LARGE,), 1500), ((SMALL,), 300), ((LARGE, SMALL), None)])
def test_a_report_reads_results_in_the_segments_of_the_flows(
    flows: tuple[str, ...], size: float | None, tmp_path: Path
) -> None:
    entry = {"scenario": mn.scenario(mixed(tmp_path, *flows)).canonical()}
    view = Values(SimpleNamespace(experiment={"scenarios": [entry, entry]}))  # type: ignore[arg-type]
    assert (view.segment_bytes, view.data_bytes) == (1500, size)


def test_a_network_is_drawn_with_one_line(tmp_path: Path) -> None:
    figure = tmp_path / "new" / "run.svg"
    few = ("--set", "users.base_sources=5")
    shown("run", "abilene", "--duration", "3 s", *few, "--plot", figure)
    text = figure.read_text()
    assert text.startswith("<svg")
    assert all(words in text for words in ("abilene, seed 1", "all flows", THROUGHPUT, "the end of the warm-up"))


def test_another_form_of_figure_is_refused_before_the_run(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["run", "abilene", "--plot", str(tmp_path / "run.gif")])
    assert done.exit_code == 2
    assert "Allowed: a file .svg, .png, .pdf, .html" in done.output


@pytest.mark.parametrize(
    ("end", "top", "last_second", "highest"),
    [(20.0, 160.0, "20", "160"), (7.0, 0.0, "7", "8"), (30.0, 0.013, "30", "0.016"), (3.0, 12_345.0, "3", "16,000")],
)
def test_a_course_in_the_terminal_has_round_numbers(
    end: float, top: float, last_second: str, highest: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    samples = pl.DataFrame(
        {"panel": "window", "line": ["a", "a", "b", "b"], "time_s": [0.0, end] * 2, "value": [0.0, top, None, top / 2]}
    )
    text = in_terminal(samples, width=80)
    title, *rows, axis, numbers, names = text.splitlines()
    assert (title, names.split()) == ("window", ["a,", "b"])
    assert [rows[0].split()[0], rows[-1].split()[0]] == [highest, "0"]
    assert numbers.split()[-1] == last_second
    assert max(map(len, [*rows, axis, numbers])) <= 80
    assert "\x1b" not in text
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b" in in_terminal(samples)


def test_a_run_is_drawn_in_the_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    words = ("run", "dumbbell", "--duration", "5 s", "--plot", "terminal")
    text = shown(*words)
    assert text.index("performance") < text.index(THROUGHPUT) < text.index(WINDOW) < text.index(DELAY)
    assert "\x1b" not in text  # not a terminal
    done = CliRunner().invoke(main, [*words, "--json"])
    assert json.loads(done.stdout)["scenario"] == "dumbbell"
    assert DELAY in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "typed", "first"),
    [
        ("run", "bottle", "bottleneck"),
        ("run dumbbell --algorithm", "cu", "cubic"),
        ("experiment run demo --algorithms", "tcp,cu", "tcp,cubic"),
        ("run dumbbell --set", "users.base", "users.base_sources="),
        ("experiment run", "exp-1", "exp-1a"),
        ("design", "exp-2", "exp-2a"),
        ("conform", "ill", "illinois"),
        ("evidence", "pra", "prague"),
        ("evidence cubic --against", "cubic,t", "cubic,tcp"),
        ("evidence cubic --suite", "rfc8", "rfc8867"),
        ("report results --against", "b", "bic"),
    ],
)
def test_names_are_completed(words: str, typed: str, first: str) -> None:
    found = ShellComplete(main, {}, "mesonet", "_MESONET_COMPLETE").get_completions(words.split(), typed)
    assert found[0].value == first
    assert all(each.type == "plain" and each.value.startswith(typed) for each in found)


def test_paths_are_completed_where_no_name_fits() -> None:
    complete = ShellComplete(main, {}, "mesonet", "_MESONET_COMPLETE").get_completions
    assert [each.type for each in complete(["run"], "./my")] == ["file"]
    assert [each.type for each in complete(["report"], "res")] == ["file"]
