"""What the resolver's page asks: the same functions as on a terminal, with their answers as HTML.

It runs in a browser, where there is no numpy, no process and no file but those that it writes itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from html import escape
from urllib.parse import parse_qsl

from rankspec.conformance.cases.inputs import case_input, data_of_case
from rankspec.conformance.data.arguments import data_of_texts
from rankspec.conformance.infer.resolve.resolve import Resolution, resolve_data
from rankspec.conformance.infer.resolve.search import Explanation
from rankspec.conformance.infer.witness.separation import axes_at_fault, separate
from rankspec.conformance.reports.derivations.layout import value_text
from rankspec.conformance.reports.derivations.markup import html
from rankspec.oracle.conventions.convention import DEFAULT, Convention
from rankspec.oracle.conventions.measure import Measure, require_meaning
from rankspec.oracle.data.data import Data
from rankspec.oracle.derivation import explain
from rankspec.oracle.errors import OracleError
from rankspec.oracle.language.expression import convention_text, parse_convention, parse_measure

_MOST_SHOWN = 12
_TOLD_APART = 2
_MOST_INPUTS = 500
"""Where none of the smallest inputs tells two conventions apart, a reader has none at hand that would."""
_DATA = {"relevance", "num_relevant", "labels", "scores", "actual", "predicted"}

_EXAMPLES = {
    "AP was printed as 0.598": "ask=resolve&measure=AP&value=0.598&relevance=1,0,1,1,0,0,1,0,0,0&num_relevant=5",
    "two tied documents, AP 0.9167": "ask=resolve&measure=AP&value=0.9167&labels=1,0,1&scores=0.9,0.5,0.5",
    "AP@3 of two lists, 0.8333": "ask=resolve&measure=AP@3&value=0.8333&actual=a,b&predicted=a,c,b",
    "AP@3 under kaggle against the default": (
        "ask=explain&measure=AP@3&a=default&b=kaggle&relevance=1,0,1&num_relevant=5"
    ),
    "where sklearn differs from trec_eval": "ask=witness&measure=AP&a=sklearn&b=trec_eval-9.0.8",
}
EXAMPLES: Mapping[str, Mapping[str, str]] = {words: dict(parse_qsl(asked)) for words, asked in _EXAMPLES.items()}
"""The questions that the page offers: words -> the fields of the form."""


def answer_text(question: str) -> str:
    """Answer a question that is written as JSON, in JSON: `{"status", "html"}`; a fault is an answer, too."""
    return json.dumps(answer(json.loads(question)))


def answer(question: Mapping[str, str]) -> dict[str, str]:
    """Answer a question: the fields of the form, as texts; empty ones count as absent."""
    # `ask` is resolve, explain or witness; `measure`; `value` for resolve; conventions `a` and `b`; the data in one of
    # the four forms of `resolve`, files as their texts.
    given = {name: text.strip() for name, text in question.items() if text.strip()}
    try:
        measure = parse_measure(given.get("measure", "AP"))
        return _KINDS[given.get("ask", "resolve")](given, measure)
    except KeyError as error:
        return _fault(f"{error.args[0]} is missing")
    except OracleError as error:
        return _fault(str(error))


def _fault(text: str) -> dict[str, str]:
    return {"status": "fault", "html": f'<p class="fault">{escape(text)}</p>'}


def _resolve(fields: Mapping[str, str], measure: Measure) -> dict[str, str]:
    data = _data(fields, measure.rel)
    number = re.sub(r"^([+-]?\d*),(\d+)$", r"\1.\2", fields["value"])  # a point where it has a comma, as `0,756`
    resolution = resolve_data(number, measure, data, documents=False)
    default = f"{measure} under default is {value_text(resolution.default_number)}."
    if not resolution.explanations:
        among = f"none of {resolution.searched} conventions"
        head = f"{resolution.printed} is unexplained: {among} gives it, rounded or truncated."
        parts = [_line(head), _line(default), _table(resolution.nearest)]
        return {"status": resolution.status, "html": "".join(parts)}
    first = resolution.explanations[0]
    among = f"{len(resolution.explanations)} of {resolution.searched} conventions"
    head = f"{resolution.printed} is explained: {among} give it."
    hidden = len(resolution.explanations) - _MOST_SHOWN
    more = _line(f"and {hidden} more, less simple") if hidden > 0 else ""
    derived = [explain(first.measure, data.qrels, data.run, first.convention)]
    if first.convention != DEFAULT:
        derived.insert(0, explain(measure, data.qrels, data.run))
    said = [_line(head), _line(default), _table(resolution.explanations), more, _deciding(measure, resolution)]
    return {"status": resolution.status, "html": "".join([*said, html(*derived)])}


def _deciding(measure: Measure, resolution: Resolution) -> str:
    """Say which data would tell the two simplest explanations apart."""
    if len(resolution.explanations) == 1:
        return ""
    both = [each.convention for each in resolution.explanations[:_TOLD_APART]]
    separation = separate(measure, both[0], both[1], _MOST_INPUTS)
    if separation.input is None or separation.values is None:
        return ""
    asked, values = json.dumps(separation.input.data), " and ".join(map(value_text, separation.values))
    return f"<p>These data don't separate the first two. <code>{escape(asked)}</code> does: {escape(values)}.</p>"


def _explain(fields: Mapping[str, str], measure: Measure) -> dict[str, str]:
    data = _data(fields, measure.rel)
    names = [fields[side] for side in ("a", "b") if side in fields] or ["default"]
    derived = [explain(measure, data.qrels, data.run, parse_convention(name)) for name in names]
    return {"status": "explained", "html": html(*derived)}


def _witness(fields: Mapping[str, str], measure: Measure) -> dict[str, str]:
    both = parse_convention(fields["a"]), parse_convention(fields["b"])
    for convention in both:
        require_meaning(measure, convention)
    separation = separate(measure, *both)
    if separation.input is None or separation.values is None:
        why = "it depends on nothing on which they differ" if separation.same else f"up to {separation.bound} documents"
        return {"status": "equivalent", "html": _line(f"{_names(both)} agree on {measure}: {why}.")}
    data = case_input(separation.input.data)
    values = " and ".join(map(value_text, separation.values))
    faults = axes_at_fault(measure, *both, data.qrels, data.run)
    axes = ", ".join(f'<a href="axes/{each.axis}.html">{each.axis}</a>' for each in faults)
    head = f"{_names(both)} differ on {measure}: {values}."
    size = separation.input.size
    small = f"{size.documents} documents, {size.relevant} relevant: no smaller input separates them."
    shown = f"<p><code>{escape(json.dumps(separation.input.data))}</code></p><p>At fault: {axes}</p>"
    derived = [explain(measure, data.qrels, data.run, each) for each in both]
    return {"status": "separated", "html": _line(head) + shown + _line(small) + html(*derived)}


_KINDS = {"resolve": _resolve, "explain": _explain, "witness": _witness}


def _names(both: Sequence[Convention]) -> str:
    return " and ".join(map(convention_text, both))


def _data(fields: Mapping[str, str], rel: int) -> Data:
    """Read the data of the form; `InputError` if there is none, or a list can't be read."""
    if "qrels" in fields and "run" in fields:
        files = {name: fields[name] + "\n" for name in ("qrels", "run")}
        return data_of_case(case_input({"files": files}))
    # Blanks separate items, too.
    return data_of_texts(rel, {name: re.sub(r"[,\s]+", ",", fields[name].strip("[], ")) for name in _DATA & {*fields}})


def _line(text: str) -> str:
    return f"<p>{escape(text)}</p>"


def _table(explanations: Sequence[Explanation]) -> str:
    rows = "".join(
        f"<tr><td><code>{escape(each.text)}</code></td><td>{escape(each.exact_text)}</td><td>{escape(each.decimal)}</td>"
        f"<td>{each.agreement or ''}</td></tr>"
        for each in explanations[:_MOST_SHOWN]
    )
    headings = "".join(f'<th scope="col">{each}</th>' for each in ("convention", "exact", "decimal", "agreement"))
    return (
        '<div class="scroll" tabindex="0" role="group" aria-label="conventions"><table class="found">'
        f"<thead><tr>{headings}</tr></thead><tbody>{rows}</tbody></table></div>"
    )
