"""Flows from a CSV file, and which of them have columns in the series."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mesonet import scenario, simulate, units
from mesonet.cli.scenario_targets import find_scenario
from mesonet.errors import InputError
from mesonet.files import csv_rows
from mesonet.scenarios import canonical
from mesonet.scenarios.by_column import Table, column
from mesonet.scenarios.canonical import plain
from mesonet.scenarios.kinds.flow_keys import KEYS
from mesonet.scenarios.settings import at

SCENARIO = """
base = "dumbbell"
flows = "flows.csv"

[time]
duration = "2 s"
"""


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "web.toml").write_text(SCENARIO)
    return tmp_path


def write(folder: Path, table: str) -> Path:
    (folder / "flows.csv").write_text(table)
    return folder / "web.toml"


def test_rows_are_flows_as_the_file_of_a_scenario_has_them(here: Path) -> None:
    table = "from,to,start,size,count\nA,B,0.5 s,10 segments,\nA,B,,,2\n\nB,A,100 ms,3 kB,1\n"
    read = scenario(str(write(here, table)))
    given = [
        {"from": "A", "to": "B", "start": "0.5 s", "size": "10 segments"},
        {"from": "A", "to": "B", "count": 2},
        {"from": "B", "to": "A", "start": "100 ms", "size": "3 kB"},
    ]
    assert read.value("flows") == scenario("dumbbell", flows=given).value("flows")
    assert [flow["count"] if "count" in flow else flow["start"] for flow in read.value("flows")] == [0.5, 0, 0, 0.1]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("from,start\nA,1 s\n", r'flows\.csv: line 1 = "from,start": no column "to"'),
        ("from,to,begin\nA,B,1 s\n", r"flows\.csv: line 1 = \"begin\": unknown column"),
        ("from,to\nA\n", r"flows\.csv: line 2 = \"A\": 1 cells under 2 columns"),
        ("from,to\n", r"flows\.csv: a table without flows\. Allowed: a row for each flow"),
        ("from,to\n\n , \n", r"flows\.csv: a table without flows"),
        ("from,to,count\nA,B,x\n", r'flows\.csv: line 2, count = "x": not a whole number'),
        ("from,to,count\nA,B,100001\n", r"flows\.csv: line 2, count = 100001: too high\. Allowed: .* at most 100000"),
        ("from,to,start\nA,B,0 s\nA,B,5\n", r'flows\.csv: line 3, start = "5": a time needs its unit: write "5 ms"'),
        ("from,to,size,count\nA,B,,2\n\nA,B,nan MB,\n", r'flows\.csv: line 4, size = "nan MB": not a number of seg'),
        ("from,to,receiver\nA,B,ack_division\n", r"flows\.csv: line 2, ack_pieces: ack_division needs this key"),
        ("from,to,count\nA,B,3\nA,B,1\nB,Q,1\n", r'flows\.csv: line 4, to = "Q": "Q" is not an access router'),
        ("from,to,start\nA,B,1 s\n\nA,B,9 s\n", r'flows\.csv: line 4, start = "9 s": after the end of the run'),
        (
            "from,to,algorithm\nA,B,\nA,B,tcp(increase=-1)\n",
            r'flows\.csv: line 3, algorithm = "tcp\(increase=-1\)": inc',
        ),
    ],
)
def test_wrong_tables_are_refused_by_their_line(here: Path, table: str, message: str) -> None:
    file = str(write(here, table))
    for segment_bytes in (1500, 576):  # read once more if it differs
        with pytest.raises(InputError) as refused:
            scenario(file, segment_bytes=segment_bytes).describe()
        assert re.search(rf"^\S+{message}", str(refused.value)), refused.value


def test_an_option_that_ends_the_run_names_the_line(here: Path) -> None:
    file = str(write(here, "from,to,count,start\nA,B,2,0 s\nA,B,,1.5 s\n"))
    with pytest.raises(InputError, match=r"ends before \S+flows\.csv, line 3, starts at 1\.5 s"):
        find_scenario(file, duration="1 s")


@pytest.mark.parametrize(
    ("wrong", "path", "value"),
    [
        ({"to": "Q"}, "flows[1].to", "Q"),
        ({"start": "9 s"}, "flows[1].start", "9 s"),
        ({"application": "on_off", "idle_time": "1 s"}, "flows[1].burst_size", None),
        ({"algorithm": "tcp(increase=-1)"}, "flows[1].algorithm", "tcp(increase=-1)"),
    ],
)
def test_a_flow_behind_repeated_ones_is_named_by_its_entry(wrong: dict[str, str], path: str, value: str | None) -> None:
    flows = [{"from": "A", "to": "B", "count": 3}, {"from": "A", "to": "B", **wrong}]
    with pytest.raises(InputError) as refused:
        scenario("dumbbell", flows=flows, duration="2 s").describe()
    assert (refused.value.path, refused.value.value) == (path, value)


ENDS, TIMES = (
    st.sampled_from(["A", "B", 3]),
    st.sampled_from(["0 s", "1.5 ms", "2 s", "0.5 s", "-1 s", "1e99 s", 2, "x"]),
)
FLOWS = st.lists(
    st.fixed_dictionaries(
        {"from": ENDS, "to": ENDS},
        optional={
            "start": TIMES, "extra_delay": TIMES, "overhead": TIMES, "start_within": TIMES,
            "stop": TIMES | st.sampled_from(["never", None]),
            "size": st.sampled_from(["unlimited", None, "3 segments", "4.5 kB", "0 segments", 7]),
            "interface": st.sampled_from(["80 seg/ms", "8 Mbps", "0 bps", "fast"]),
            "algorithm": st.sampled_from(["tcp", "CUBIC", "cubic(beta=0.5)", "none", None]),
            "segment_bytes": st.sampled_from([500, 9000, "x"]),
        },
    ),
    max_size=4,
)  # fmt: skip


@settings(max_examples=400)
@given(FLOWS, st.sampled_from([1500, 576]))
def test_flows_read_column_by_column_are_those_read_one_by_one(flows: list, segment_bytes: float) -> None:
    def parsed(given: list) -> object:
        try:
            return [list(flow.items()) for flow in at("flows").parse(given, segment_bytes)]
        except InputError as refused:
            return str(refused)

    one_by_one = [{**flow, "count": 1} for flow in flows]  # a key that is not read by column
    assert parsed(flows) == parsed(one_by_one)


APPLICATION = {"application": "frames", "frame_rate": 30, "frame_size": "3750 B"}
CELL = st.sampled_from(["A", " B ", "", "0.5 s", '"x, y"', '"two\nlines"'])
LINE = st.lists(CELL, max_size=4).map(",".join)


@given(st.lists(LINE, max_size=5), st.sampled_from(["from,to,start", "from,to", "To , FROM", "from,from", "size", ""]))
def test_columns_of_a_file_are_those_of_its_rows(tmp_path_factory: Any, lines: list[str], header: str) -> None:
    file = tmp_path_factory.mktemp("table") / "flows.csv"
    file.write_text("\n".join([header, *lines]))

    def read(table: Callable[..., Any]) -> object:
        try:
            return table(file, tuple(KEYS), needed=2)
        except InputError as refused:
            return str(refused)

    rows = read(lambda *where, needed: [row for _, row in csv_rows.rows(*where, needed)])
    columns = read(csv_rows.columns_of)
    assert (list(Table(columns)) if isinstance(columns, dict) else columns) == rows


@given(st.lists(st.sampled_from(["0 s", "1.5 s", "2. s", "12345678901234.5 s", "0.1234567890123 s", "1 ms", "٣ s",
                                 "-1 s", "1e3 s", "1 s\n2 s", ".5 s", "1s", " 1 s", "s", 3])))  # fmt: skip
def test_times_read_at_once_are_those_read_alone(times: list) -> None:
    at_once = units.seconds(times)
    assert at_once in (None, [units.TIME.parse(time) for time in times] if at_once else None)
    if times and set(times) <= {"0 s", "1.5 s", "2. s"}:
        assert at_once is not None


def test_a_time_of_another_form_after_thousands_is_found_at_once() -> None:
    times = [f"{1000 + n} s" for n in range(10_000)]
    assert units.seconds(times) == [1000.0 + n for n in range(10_000)]
    assert units.seconds([*times, "1 ms"]) is None


@settings(max_examples=100)
@given(FLOWS, st.booleans())
def test_the_text_of_flows_is_that_of_their_plain_data(flows: list, has_applications: bool) -> None:
    if has_applications:
        flows = [*flows, {"from": "A", "to": "B", "count": 2, "algorithm": "cubic", **APPLICATION}]
    try:
        read = at("flows").parse(flows, 1500)
    except InputError:
        return
    expected = json.dumps({"a": 1, "flows": plain(read)}, sort_keys=True, separators=(",", ":"))
    assert canonical.text({"a": 1}, "flows", read) == expected


def test_long_texts_are_decoded_as_short_ones() -> None:
    read = at("flows").parse([{"from": "A", "to": "B", "start": f"{n / 7} s"} for n in range(1000)], 1500)
    text = canonical.text({"time": {"duration": 1e-7}}, "flows", read)
    assert len(text) > canonical._LONG
    assert canonical.content(text) == json.loads(text)


def test_a_table_is_a_list_of_rows() -> None:
    table = Table({"a": [1, 2, 3], "b": "xyz"})
    rows = [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}, {"a": 3, "b": "z"}]
    assert (table == rows, rows == table, len(table), table[1], table[-2:]) == (True, True, 3, rows[1], rows[1:])
    assert (table != rows[1:], column(table, "c", 0), column(rows, "b")) == (True, [0, 0, 0], ["x", "y", "z"])


def test_flows_of_a_scenario_are_a_list(here: Path) -> None:
    flows = scenario(str(write(here, "from,to\nA,B\nB,A\n"))).value("flows")
    assert json.loads(json.dumps(flows)) == flows
    assert [flow["to"] for flow in flows + flows[:1]] == ["B", "A", "B"]


def test_a_table_that_is_not_there_is_refused(here: Path) -> None:
    with pytest.raises(InputError, match=r'web\.toml: flows = "flows\.csv": no such file\. Allowed: '):
        scenario(str(here / "web.toml"))


def test_the_series_has_columns_for_as_many_flows_as_asked_and_records_have_all(here: Path) -> None:
    file = str(write(here, "from,to,size,count\nA,B,20 segments,300\n"))
    columns = {}
    for wanted in (None, 0, 7):
        chosen = scenario(file, **({} if wanted is None else {"flow_series": wanted}))
        result = simulate(chosen, 1)
        columns[wanted] = sum(name.endswith("_cwnd") for name in result.series.units if name.startswith("flow_"))
        assert len(result.flows) == 300
    assert columns == {None: 100, 0: 0, 7: 7}


def test_many_flows_are_told_as_a_number(here: Path) -> None:
    rows = "".join(f"A,B,{n} ms\n" for n in range(1000))
    explained = {row.path: row.value for row in scenario(str(write(here, "from,to,start\n" + rows))).explain()}
    assert explained["flows"] == "1000 flows"
