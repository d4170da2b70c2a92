"""Mistakes of users, a typed command each: one line, exit status 2, its code, the place and the offending words.

The commands run in the folder of the golden pages, which hold the sentences.
"""

import shlex
from pathlib import Path

import pytest
from campaign import in_campaign
from golden_pages import folder

MALFORMED = {
    "broken.py": "raise RuntimeError('luck')\n",
    "syntax.py": "def f(:\n",
    "two.py": "def ap(actual, predicted): ...\ndef ndcg(actual, predicted): ...\n",
    "needs.py": "import there_is_none\n",
    "float.yaml": "document: hand\ncases:\n- {id: edge.x, exact: 0.5}\n",
    "half.yaml": "cases: [",
    "list.yaml": "- edge.x\n",
    "flat.yaml": "sklearn: edge.x\n",
    "mute.yaml": "sklearn:\n  edge.x:\n",
    "verdict.yaml": "document: hand\ncases:\n- id: edge.x.y\n  clause: ap.cutoff\n  measure: AP\n  convention: "
    'default\n  input: {relevance: [1]}\n  exact: "1"\n  verdict: certain\n  why: x\n',
    "short.run": "q1 Q0 right 1\n",
    "blank.qrels": "q1 0 a 1\n\n",
    "again.qrels": "q1 0 a 1\nq1 0 a 2\n",
    "below.qrels": "q1 0 a -2\nq3 0 a -5\n",
}
"""Files with something wrong in them, beside those of the golden pages."""

COMPARED = "compare --qrels qrels.txt a.run b.run"
IMPACT = "impact --qrels qrels.txt --run a.run --run b.run"
EXPLAINED = "explain --relevance 1,0,1,1"
SCORED = "score --detections detections.csv --ground-truths cat=3,dog=2"
REFUSED = [
    # atlas
    ("atlas nosuch", "unknown-library", "nosuch"),
    ("atlas ranx==9", "unknown-version", "ranx 0.3.16 0.3.21"),
    ("atlas --measure Bpref@7", "measure-not-recorded", "Bpref@7"),
    ("atlas --csv --json", "options-conflict", "--csv --json"),
    # check
    ("check none.py:f", "file-missing", "none.py"),
    ("check own.py:g", "implementation-not-loaded", "own.py 'g'"),
    ("smoke two.py", "function-ambiguous", "two.py:ap ndcg"),
    ("check broken.py:f", "implementation-not-loaded", "broken.py RuntimeError luck"),
    ("check syntax.py:f", "implementation-not-loaded", "syntax.py SyntaxError"),
    ("check needs.py:f", "implementation-not-loaded", "there_is_none"),
    ("check nosuchpackage.module:f", "implementation-not-loaded", "nosuchpackage PYTHONPATH"),
    ("check nosuch", "unknown-adapter", "'nosuch' adapters"),
    ("check own.py --measure XRR", "unknown-measure", "'XRR' RR"),
    ("check own.py --measure AP@0", "parameter-out-of-range", "AP@0"),
    ("check own.py --measure AP@", "syntax", "'AP@' column"),
    ("check own.py --under nosuch", "unknown-convention", "'nosuch' kaggle"),
    ("check own.py --under default[colour=red]", "unknown-axis", "'colour' denominator"),
    ("check own.py --under default[ties=fair]", "unknown-axis-value", "ties=fair input-order"),
    ("check own.py --under default[ties", "syntax", "column"),
    ("check own.py --shape square", "unknown-shape", "square labels-scores"),
    ("check own.py --fixtures none.yaml", "file-unreadable", "none.yaml"),
    ("check own.py --fixtures float.yaml", "decimal-unquoted", 'float.yaml:3 edge.x "0.5"'),
    ("check own.py --fixtures half.yaml", "not-yaml", "half.yaml"),
    ("check own.py --cases none.*", "unknown-case", "none.*"),
    ("check own.py --cases edge.unknown-query.*", "nothing-asked", "one query"),
    ("check own.py --known-failures none.yaml", "file-unreadable", "none.yaml"),
    ("check own.py --known-failures list.yaml", "known-failures-malformed", "list.yaml:1"),
    ("check own.py --known-failures flat.yaml", "known-failures-malformed", "flat.yaml:1 sklearn"),
    ("check own.py --known-failures mute.yaml", "reason-missing", "mute.yaml:2 edge.x"),
    ("check own.py --case-seconds 0", "usage", "--case-seconds"),
    ("check own.py --memory-mib lots", "usage", "--memory-mib"),
    ("check own.py --jobs 0", "usage", "--jobs"),
    ("check own.py --jobs many", "usage", "--jobs"),
    ("check own.py --run-seconds -1", "usage", "--run-seconds"),
    ("check own.py --nosuch", "usage", "--nosuch"),
    ("check own.py metrics.py:ap own.py", "implementation-repeated", "own.py 2"),
    ("check own.py --junit x --badge ./x", "file-repeated", "--junit --badge"),
    ("check sklearn>=1.0", "version-not-single", "sklearn==VERSION"),
    ("check sklearn --python 3.11", "version-missing", "3.11"),
    ("smoke sklearn --python 3.11", "version-missing", "3.11"),
    ("identify sklearn --python 3.11", "version-missing", "3.11"),
    ("check cmd:./tool", "file-missing", "cmd:"),
    ("check", "usage", "IMPL"),
    ("chekc", "usage", "'chekc' check"),
    ("fixtures", "usage", "fixtures"),
    ("fixtures lst", "usage", "'lst' list"),
    # cite
    ("cite nosuch --measure AP", "unknown-library", "nosuch"),
    ("cite elliot --measure AP", "measure-not-recorded", "elliot"),
    ("cite sklearn --measure Bpref", "measure-not-recorded", "scikit-learn Bpref"),
    ("cite nolib", "unknown-library", "nolib"),
    # compare
    ("compare --qrels qrels.txt", "run-missing", ""),
    ("compare --qrels qrels.txt a.run", "run-missing", "a.run"),
    ("compare --qrels qrels.txt a.run b.run a.run", "run-repeated", "a.run"),
    ("compare --qrels qrels.txt a.run ./a.run", "run-repeated", "./a.run a.run"),
    ("compare --qrels qrels.txt a.run zz.run", "file-missing", "zz.run"),
    ("compare --qrels qrels.txt - -", "standard-input-twice", ""),
    ("compare --qrels qrels.txt a.run b.run --test wilcoxon", "usage", "wilcoxon"),
    ("compare --qrels qrels.txt a.run b.run --alpha 5", "level-out-of-range", "5"),
    ("compare --qrels qrels.txt a.run b.run --alpha five", "level-out-of-range", "five"),
    ("compare --qrels qrels.txt a.run b.run --alpha 1/0", "level-out-of-range", "1/0"),
    ("compare --qrels qrels.txt a.run b.run --permutations 0", "usage", "--permutations"),
    ("compare --qrels qrels.txt a.run b.run --permutations 9 --test t", "options-conflict", "--permutations"),
    ("compare --qrels qrels.txt a.run b.run --baseline zz", "unknown-run", "zz"),
    (f"{COMPARED} --under default[aggregate=micro]", "values-of-queries-missing", "aggregate=micro"),
    ("compare --qrels qrels.txt a.run c.run --under default[missing_query=error]", "value-undefined", "a.run q4"),
    ("compare --qrels qrels.txt a.run other.run", "no-query-in-common", "other.run z1 q1"),
    ("compare --qrels qrels.txt a.run short.run", "columns-miscounted", "short.run 1"),
    # diff and report
    ("diff kept/same.json kept/partial.json", "no-implementation-in-common", "m.py:f one.py:f two.py:f"),
    ("diff kept/same.json streams/damaged.ndjson", "line-damaged", "damaged.ndjson:3"),
    ("report streams/damaged.ndjson", "line-damaged", "damaged.ndjson:3"),
    ("report none.ndjson", "file-unreadable", "none.ndjson"),
    ("report own.py", "header-missing", "own.py:1"),
    ("report streams/whole.ndjson ./streams/whole.ndjson", "file-repeated", "whole.ndjson"),
    # drift
    ("drift cute_rankin", "unknown-adapter", "cute_rankin cute_ranking"),
    ("drift cute_ranking --versions 1", "versions-missing", ""),
    ("drift cute_ranking --versions 1,2 --from 7", "unknown-version", "7"),
    ("drift cute_ranking --versions 3,5 --out drift", "versions-missing", "3 5"),
    # environments, adapters
    ("adapters new mylib --shape round", "unknown-shape", "round"),
    ("environments ranx==9", "unknown-environment", "ranx==9"),
    # explain
    (f"{EXPLAINED} --under default[denominator=cutoff]", "meaningless-combination", "denominator=cutoff"),
    (f"{EXPLAINED} --under default --under kaggle", "meaningless-combination", "denominator=min-relevant-cutoff"),
    ("explain --relevance 1,0,1,1 --under default --under default --under default", "too-many-conventions", "--under"),
    ("explain --relevance 1,0,1,1 --latex --json", "options-conflict", "--latex --json"),
    ("explain", "data-missing", ""),
    ("explain --relevance 1 --measure AP --measure P@1", "usage", "--measure 2"),
    ("explain --verdicts verdicts.json --ground-truths 3", "data-conflict", "ground_truths"),
    ("explain --detections detections.csv --ground-truths cat=x", "not-whole", "'x'"),
    ("explain --detections detections.csv --ground-truths cat=1,cat=1", "argument-repeated", "cat"),
    ("explain --detections detections.csv --ground-truths cat=3,dog=2 --query cow", "unknown-query", "'cow'"),
    # fixtures
    ("fixtures list --axis ties --axis depth", "usage", "--axis 2"),
    ("fixtures list --axis tie", "unknown-axis", "'tie' ties"),
    ("fixtures show doc01.map", "unknown-case", "'doc01.map' doc001.map"),
    ("fixtures pin drift", "no-cases", "drift"),
    # identify
    ("identify own.py --measure TAP@3", "scores-missing", "TAP@3"),
    ("smoke sklaern", "unknown-adapter", "'sklaern' sklearn"),
    # impact
    ("impact --qrels qrels.txt --run a.run", "run-missing", "a.run"),
    ("impact --qrels qrels.txt --run a.run --run b.run --json --markdown", "options-conflict", "--json --markdown"),
    ("impact --qrels qrels.txt --run a.run --run b.run -m infAP --libraries", "convention-not-recorded", "infAP"),
    (f"{IMPACT} --most 2 --plot out.nothing", "picture-kind-unknown", "out.nothing"),
    # lists of reference
    ("conventions kagle", "unknown-name", "'kagle' kaggle"),
    ("measures NDGC@10", "unknown-name", "'NDGC' nDCG"),
    ("axes tie", "unknown-name", "'tie' ties"),
    ("axes zzz", "unknown-name", "'zzz'"),
    ("axes --csv --json", "options-conflict", "--csv --json"),
    ("axes ties --csv", "options-conflict", "NAME"),
    ("verdicts exakt", "unknown-name", "'exakt' exact"),
    # report-bug
    ("report-bug metrics.py:ap", "case-missing", "CASE"),
    ("report-bug metrics.py:ap nosuch", "unknown-case", "nosuch"),
    ("report-bug metrics.py:ap --measure AP", "unknown-library", "metrics.py:ap"),
    ("report-bug sklearn --measure AP", "measure-not-recorded", "AP"),
    ("report-bug catboost_prauc --measure AP", "implementation-not-loaded", "catboost"),
    ("report-bug metrics.py:none edge.denominator.relevant.short-list", "implementation-not-loaded", "'none'"),
    ("report-bug metrics.py:ap edge.aggregate.mean.two", "question-not-askable", "edge.aggregate"),
    ("report-bug metrics.py:ap --check kept/same.json", "unknown-implementation", "m.py:f metrics.py:ap"),
    # resolve
    ("resolve --value high --relevance 1,0,1", "number-not-printed", "'high'"),
    ("resolve --value 0.5", "data-missing", "relevance"),
    ("resolve --value 0.5 --relevance 1,x", "not-whole", "'x' 2"),
    ("resolve --value 0.5 --relevance 1,,1", "item-empty", "2"),
    ("resolve --value 0.5 --relevance 1_0", "not-whole", "1_0"),
    ("resolve --value 0.5 --relevance 1 --k 0", "parameter-out-of-range", "0"),
    ("resolve --value 0.5 --relevance 1 --k -3", "parameter-out-of-range", "-3"),
    ("resolve --value 0.5 --relevance 1 --k 3 --measure AP@5", "argument-repeated", "AP@5 3"),
    ("resolve --value 0.5 --relevance 1,1 --num-relevant 1", "num-relevant-too-low", "1 2"),
    ("resolve --value 0.5 --qrels nowhere --run nowhere", "file-missing", "nowhere"),
    ("resolve --value 0.5 --qrels - --run -", "standard-input-twice", ""),
    ("resolve --value 0.5 --labels 1", "data-missing", "scores"),
    ("resolve --relevance 1", "usage", "--value"),
    ("resolve --value 1 --k 1 --k 2 --relevance 1", "usage", "--k 2"),
    # score
    ("score qrels.txt a.run -m Unjudged", "parameter-out-of-range", "Unjudged"),
    ("score qrels.txt a.run --under default[missing_query=error]", "value-undefined", "missing_query=error"),
    ("score qrels.txt a.run --under trec_eval-10.0", "query-not-in-run", "q4"),
    ("score qrels.txt a.run --digits -1", "usage", "--digits"),
    ("score qrels.txt a.run --range moods", "usage", "--range"),
    ("score qrels.txt a.run -m infAP --range judgements", "range-unknown", "infAP"),
    ("score qrels.txt short.run -m infAP --range judgements", "range-unknown", "infAP"),
    ("score qrels.txt bad.run", "score-not-a-number", "bad.run 1 'high'"),
    ("score qrels.txt bad.run --engine stream", "score-not-a-number", "bad.run 1 'high'"),
    ("score qrels.txt twice.run", "document-repeated", "twice.run q1 a 1 3 duplicates=error"),
    ("score qrels.txt twice.run --engine stream", "document-repeated", "twice.run q1 a 1 3"),
    ("score qrels.txt twice.run --under trec_eval-9.0.8", "document-repeated", "twice.run a 1 3 4"),
    ("score qrels.txt short.run --engine stream", "columns-miscounted", "short.run 1 6 4"),
    ("score blank.qrels a.run --under trec_eval-9.0.8", "columns-miscounted", "blank.qrels 2 2"),
    ("score again.qrels a.run --under trec_eval-9.0.8", "document-repeated", "again.qrels 2 q1 a"),
    ("score qrels.txt other.run --under trec_eval-9.0.8", "no-query-in-common", "7"),
    ("score below.qrels a.run --under trec_eval-9.0.8", "no-grade-counted", "a.run q1 -2 4"),
    ("score below.qrels a.run --under trec_eval-9.0.8 --engine stream", "no-grade-counted", "a.run q1 -2 4"),
    ("score --qrels - --run -", "standard-input-twice", ""),
    ("score qrels.txt a.run -m AP -m prefs_simp", "judgement-kinds-mixed", "AP prefs_simp"),
    ("score qrels.txt a.run -m AP --judgements prefs", "judgement-kinds-mixed", "AP prefs"),
    ("score qrels.txt a.run -m prefs_simp --judgements qrels", "judgement-kinds-mixed", "prefs_simp qrels_prefs"),
    ("score qrels.txt a.run -m prefs_simp --judgements prefs", "columns-miscounted", "qrels.txt 1 5 4"),
    ("score qrels.txt a.run b.run --range ties", "options-conflict", "--range"),
    ("score qrels.txt a.run b.run --format trec_eval", "options-conflict", "2"),
    ("score qrels.txt", "run-missing", ""),
    ("score qrels.txt --run a.run", "argument-repeated", ""),
    ("score qrels.txt other.run", "no-query-in-common", "other.run z1 q1"),
    ("score qrels.txt other.run --engine stream", "no-query-in-common", "other.run z1 q1"),
    ("score --verdicts verdicts.json --detections detections.csv", "data-conflict", ""),
    ("score --verdicts verdicts.json --qrels qrels.txt --run a.run", "options-conflict", ""),
    ("score --verdicts nothing.json", "file-missing", "nothing.json"),
    ("score --run a.run", "usage", "'--qrels'"),
    ("score --qrels qrels.txt", "usage", "'--run'"),
    (f"{SCORED} --under coco[ties=expected]", "queries-pooled", "2 coco-classes"),
    # why
    ("why 0.5", "data-missing", "number"),
    ("why nosuch", "word-not-recognised", "nosuch"),
    ("why rnax", "word-not-recognised", "ranx"),
    ("why nosuch.py:ap", "file-missing", "nosuch.py"),
    ("why folder/nosuch", "file-missing", "folder/nosuch"),
    ("why sklearn ranx kaggle", "question-unclear", ""),
    ("why P", "parameter-out-of-range", "P P@10"),
    ("why AP 1,0,1 0.5 nDCG", "argument-repeated", "AP nDCG"),
    ("why AP 1,0,1 0.5 -m nDCG", "argument-repeated", "AP nDCG"),
    ("why 0,5 1,0,1", "question-unclear", ""),
    ("why trec_eval==9.0.8 kaggle -m AP@3", "convention-not-recorded", "trec_eval==9.0.8 AP@3"),
    ("why list.txt qrels.txt", "columns-miscounted", "list.txt 1 3"),
    # witness
    ("witness nothing default", "unknown-side", "nothing"),
    ("witness sklaern kaggle", "unknown-side", "sklaern sklearn"),
    ("witness kaggle default --measure AP", "meaningless-combination", "AP"),
    ("witness missing.py:f default", "file-missing", "missing.py"),
    ("witness kaggle default --measure AP@3 --save nowhere/found.yaml", "file-not-writable", "--save nowhere"),
    ("explain --qrels qrels.txt --run other.run", "no-query-in-common", "z1 q1"),
    ("resolve --qrels qrels.txt --run other.run --value 0.5", "no-query-in-common", "z1 q1"),
    ("score qrels.txt other.run a.run", "no-query-in-common", "other.run z1 q1"),
    ("impact --qrels qrels.txt --run a.run --run other.run", "no-query-in-common", "other.run z1 q1"),
    ("report streams/empty.ndjson", "file-empty", "empty.ndjson"),
    ("report streams/nonsense.json", "not-json", "nonsense.json:2"),
    ("diff kept/same.json nosuch.json", "file-unreadable", "nosuch.json"),
    ("check own.py --fixtures verdict.yaml", "schema-violated", "verdict.yaml:9 edge.x.y certain"),
]
"""What is typed, the code, and what the line has to name."""


@pytest.fixture(scope="module", autouse=True)
def files():
    with folder():
        for name, text in MALFORMED.items():
            Path(name).write_text(text, encoding="utf-8")
        yield


OF_EACH_CODE = {code: command for command, code, _ in reversed(REFUSED)}.values()


@pytest.mark.parametrize(("command", "code", "tokens"), in_campaign(REFUSED, but=OF_EACH_CODE, ids=lambda row: row[0]))
def test_a_mistake_is_one_line_that_names_the_place(rankspec, command, code, tokens):
    rankspec(*shlex.split(command)).assert_refused(code, *tokens.split())
