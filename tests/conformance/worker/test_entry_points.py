"""Adapters that other packages ship: found, listed, loaded in a worker; a bad one is a line, never a crash."""

import json
import os

import pytest
import wheels
from rankspec.conformance.implementations.describing import Description, describe_offered, library_of
from rankspec.conformance.implementations.pinned import Pinned
from rankspec.conformance.implementations.specs import BUILT_IN, Implementation, adapter_entries, parse
from rankspec.conformance.run.session import ask
from rankspec.conformance.worker.messages import EntryPointSource
from refusals import assert_names, refused


@pytest.fixture
def site(tmp_path, monkeypatch):
    """Give a folder that is on the path, here and in workers."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    known = [os.environ["PYTHONPATH"]] if os.environ.get("PYTHONPATH") else []
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(folder), *known]))
    return folder


def ship(site, name="mylib", **more):
    """Install a library that ships its own adapter."""
    entry_points = more.pop("entry_points", f"{name} = {name}.rankspec_adapter:ADAPTER")
    modules = wheels.adapted(name, more.pop("denominator", "relevant"))
    if "adapter" in more:
        modules[f"{name}/rankspec_adapter.py"] = more["adapter"]
    wheels.unpacked(site, wheels.distribution(name, "1.5", modules, entry_points=entry_points))


def listing(name):
    return [each for each in adapter_entries() if each.name == name]


def test_it_is_listed_with_where_it_comes_from(site):
    ship(site)
    (found,) = listing("mylib")
    assert found.description == Description("mylib", "mylib", "qrels-run", "default", ("AP",))
    assert (found.version, found.problem) == ("1.5", None)
    assert found.origin == "mylib 1.5 (mylib.rankspec_adapter:ADAPTER)"
    assert {each.origin for each in adapter_entries() if each.name == "ranx"} == {BUILT_IN}


def test_it_is_taken_by_its_name_and_by_its_distributions(site):
    ship(site, "my_lib", entry_points="ml = my_lib.rankspec_adapter:ADAPTER")
    assert parse("ml") == Implementation("ml", EntryPointSource("ml"))
    assert parse("my-lib").source == EntryPointSource("ml")
    assert parse("ml==1.4").pinned == Pinned("my_lib", "1.4")


def test_a_package_that_ships_the_adapter_of_another_library_goes_along(site):
    ship(site, "library")
    ship(site, "plugin", adapter="from library.rankspec_adapter import ADAPTER\n")
    found = library_of(EntryPointSource("plugin"))
    assert (found.distribution, found.requires, found.wheels_only) == ("library", ("plugin==1.5",), ())


def test_a_built_in_adapter_is_not_replaced_by_one_that_is_offered(site):
    ship(site, "other", entry_points="ranx = other.rankspec_adapter:ADAPTER")
    with refused("unknown-adapter", "'other'"):
        parse("other")


def test_several_adapters_of_one_distribution(site):
    ship(site, "many", entry_points="one = many.rankspec_adapter:ADAPTER\ntwo = many.rankspec_adapter:ADAPTER")
    with refused("adapter-ambiguous", "many", "one", "two"):
        parse("many")


def test_smoke_check_and_identify_take_it(site, rankspec):
    ship(site, denominator="len(places)")
    status, out, _ = rankspec("smoke", "mylib", "--json")
    assert (status, json.loads(out)["works"], json.loads(out)["version"]) == (0, True, "1.5")
    status, out, _ = rankspec("check", "mylib", "--json", "--cases", "edge.basics.missed*")
    assert status == 1
    assert json.loads(out)["implementations"][0]["cases"][0]["verdict"] == "other-convention"


def test_an_adapter_that_is_not_installed_anywhere_is_taken_from_its_file(site, rankspec):
    ship(site, entry_points="")
    place = f"{site}/mylib/rankspec_adapter.py:ADAPTER"
    status, out, _ = rankspec("smoke", place, "--json")
    assert (status, json.loads(out)["implementation"], json.loads(out)["version"]) == (0, place, "1.5")
    rankspec("smoke", place, "--shape", "ranking").assert_refused("implementation-not-loaded", place, "--shape ranking")


@pytest.mark.campaign
@pytest.mark.parametrize(
    ("adapter", "said"),
    [
        ("import nowhere\n", "ModuleNotFoundError: No module named 'nowhere'"),
        ("raise RuntimeError('no' + chr(10) + 'good')\n", "RuntimeError: no"),
        ("def ADAPTER(): pass\n", "of type function, where an Adapter belongs"),
        ("OTHER = 1\n", "AttributeError"),
        ("raise SystemExit(3)\n", "SystemExit: 3"),
        ("import os\nos._exit(3)\n", "importing it ended Python (3)"),
        ("print('{}')\nimport os\nos.write(1, b'noise')\nraise KeyboardInterrupt\n", "KeyboardInterrupt"),
        ("x = (\n", "SyntaxError"),
    ],
)
def test_one_that_can_not_be_loaded_is_a_line_of_the_listing(adapter, said, site, rankspec):
    ship(site, adapter=adapter)
    ship(site, "good")
    (found,) = listing("mylib")
    assert found.description is None
    assert said in str(found.problem)
    status, out, _ = rankspec("adapters")
    assert status == 0
    (line,) = [line for line in out.splitlines() if line.startswith("mylib from ")]
    assert said in line
    assert any(line.startswith("good\t") for line in out.splitlines())
    status, out, _ = rankspec("adapters", "--json")
    (entry,) = [entry for entry in json.loads(out)["adapters"] if entry["name"] == "mylib"]
    assert said in entry["problem"]
    for arguments in (("smoke", "mylib"), ("check", "mylib", "--cases", "edge.basics.*"), ("check", "mylib==1.0")):
        status, _, err = rankspec(*arguments)
        assert (status, err.count("\n")) == (2, 1), err
        assert err.startswith(f"rankspec: {arguments[1]}: ")


def test_a_shape_that_there_is_not(site, rankspec):
    text = wheels.adapted("mylib", "1")["mylib/rankspec_adapter.py"].replace("qrels-run", "circle")
    ship(site, adapter=text)
    rankspec("smoke", "mylib").assert_refused("implementation-not-loaded", "'mylib'", "'circle'")


def test_one_that_prints_is_described_all_the_same(site):
    ship(site, adapter="print('hello')\n" + wheels.adapted("mylib", "1")["mylib/rankspec_adapter.py"])
    assert describe_offered("mylib").distribution == "mylib"


def test_where_the_names_clash_rankspecs_own_adapter_wins_and_the_listing_says_so(site, rankspec):
    ship(site, entry_points="ranx = mylib.rankspec_adapter:ADAPTER")
    assert parse("ranx").source.__class__.__name__ == "AdapterSource"
    clashing = [line for line in rankspec("adapters").out.splitlines() if line.startswith("ranx from ")]
    assert len(clashing) == 1
    assert_names(clashing[0], "mylib 1.5", "(mylib.rankspec_adapter:ADAPTER)", "mylib")


def test_an_entry_point_that_is_gone_says_so(site):
    with refused("implementation-not-loaded", "'gone'", "group rankspec.adapters"):
        ask(Implementation("gone", EntryPointSource("gone")), [])
