"""Kept checks for tests: the object of `check --json`, made by hand."""


def case(name, verdict="exact", value=0.5, **more):
    exact = None if verdict in {"unsupported", "not-expressible"} else "1/2"
    fields = {"id": name, "measure": "AP@10", "verdict": verdict, "value": value, "exact": exact, "detail": ""}
    return {**fields, "cases": [name], **more}


def implementation(*cases, name="m.py:f", **more):
    told = {"name": name, "version": "1.0", "python": "3.12.1", "shape": "ranking", "convention": "kaggle"}
    return {**told, "changed_its_arguments": [], "remarks": [], **more, "cases": list(cases)}


def check(*implementations, **more):
    return {
        "schema": "rankspec/check/1",
        "rankspec": "0.1.0",
        "measure": None,
        "implementations": list(implementations),
        "differences": [],
        "unexpected_passes": [],
        "stale_known_failures": [],
        **more,
    }


def one(*cases, **more):
    return check(implementation(*cases), **more)
