// Holds average precision to the cases that `rankspec fixtures export --out DIR` wrote:  java RunCases.java DIR
// Exit status 0 if every case conforms, 1 if one does not, 2 if DIR can't be read. Java 17, no dependency.

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.*;

public final class RunCases {
    static final String SCHEMA = "rankspec/export/1";

    /** The convention that the library follows: a case counts if all of its axes agree with it. */
    static final Map<String, String> FOLLOWS = Map.of(
            "aggregate", "mean", "denominator", "relevant", "depth", "none", "interpolation", "step",
            "no_hits", "zero", "no_relevant", "zero", "ties", "input-order", "unjudged", "nonrelevant");

    /** The library under test: average precision of labels in rank order. */
    static double averagePrecision(List<Object> relevance, double numRelevant, int k) {
        double sum = 0;
        int hits = 0;
        for (int rank = 1; rank <= Math.min(k, relevance.size()); rank++) {
            if ((Double) relevance.get(rank - 1) > 0) {
                sum += (double) ++hits / rank;
            }
        }
        return numRelevant > 0 ? sum / numRelevant : 0;
    }

    public static void main(String[] arguments) {
        try {
            System.exit(run(Path.of(arguments.length > 0 ? arguments[0] : ".")));
        } catch (IOException | RuntimeException fault) {
            System.err.println("RunCases: " + fault);
            System.exit(2);
        }
    }

    static int run(Path folder) throws IOException {
        Object schema = object(new Json(Files.readString(folder.resolve("manifest.json"))).value()).get("schema");
        if (!SCHEMA.equals(schema)) {
            throw new IOException(schema + ": this runner reads " + SCHEMA);
        }
        Map<String, Integer> leftOut = new TreeMap<>();
        int asked = 0;
        int failed = 0;
        for (String line : Files.readAllLines(folder.resolve("cases.jsonl"))) {
            Map<String, Object> each = object(new Json(line).value());
            String reason = reasonToLeaveOut(each);
            if (reason != null) {
                leftOut.merge(reason, 1, Integer::sum);
                continue;
            }
            asked++;
            String fault = fault(answer(each), object(each.get("expected")));
            if (fault != null) {
                failed++;
                System.out.println(each.get("id") + " (" + object(each.get("measure")).get("expression") + "): " + fault);
            }
        }
        System.out.println(asked + " cases asked, " + failed + " failed; left out: " + leftOut);
        return asked > 0 && failed == 0 ? 0 : 1;
    }

    static double answer(Map<String, Object> each) {
        Map<String, Object> call = object(object(each.get("calls")).get("ranking"));
        Object k = object(each.get("measure")).get("k");
        int cutoff = k == null ? Integer.MAX_VALUE : ((Double) k).intValue();
        return averagePrecision(list(call.get("relevance")), (Double) call.get("num_relevant"), cutoff);
    }

    static String reasonToLeaveOut(Map<String, Object> each) {
        Map<String, Object> measure = object(each.get("measure"));
        if (!measure.get("name").equals("AP")) return "another measure";
        if (measure.containsKey("rel") || measure.containsKey("parameters")) return "parameters";
        if (!object(each.get("calls")).containsKey("ranking")) return "not expressible";
        Map<String, Object> axes = object(object(each.get("convention")).get("axes"));
        boolean agree = FOLLOWS.keySet().stream()
                .allMatch(axis -> !axes.containsKey(axis) || axes.get(axis).equals(FOLLOWS.get(axis)));
        return agree ? null : "another convention";
    }

    /** Says what is wrong with an answer; null if nothing is. */
    static String fault(double answer, Map<String, Object> expected) {
        switch ((String) expected.get("kind")) {
            case "error": return answer + " where a failure is demanded";
            case "nan": return Double.isNaN(answer) ? null : answer + " where there is no value";
            default:
                double bound = (Double) object(expected.get("bound")).get("float64");
                boolean close = Math.abs(answer - (Double) expected.get("double")) <= bound;
                return close ? null : answer + " where the exact value is " + expected.get("exact");
        }
    }

    @SuppressWarnings("unchecked") static Map<String, Object> object(Object value) { return (Map<String, Object>) value; }

    @SuppressWarnings("unchecked") static List<Object> list(Object value) { return (List<Object>) value; }

    /** Reads JSON: objects, lists, texts and numbers; true, false and null stay words. A real project uses its JSON library. */
    static final class Json {
        private final String text;
        private int at;

        Json(String text) { this.text = text; }

        Object value() {
            char next = peek();
            if (next == '{') return members();
            if (next == '[') return elements();
            if (next == '"') return string();
            int start = at;
            while (at < text.length() && ",]} \n\r\t".indexOf(text.charAt(at)) < 0) at++;
            String word = text.substring(start, at);
            return List.of("true", "false", "null").contains(word) ? word : (Object) Double.valueOf(word);
        }

        private Map<String, Object> members() {
            Map<String, Object> found = new LinkedHashMap<>();
            for (at++; peek() != '}'; skip(',')) { String key = string(); skip(':'); found.put(key, value()); }
            at++;
            return found;
        }

        private List<Object> elements() {
            List<Object> found = new ArrayList<>();
            for (at++; peek() != ']'; skip(',')) found.add(value());
            at++;
            return found;
        }

        private String string() {
            StringBuilder found = new StringBuilder();
            for (peek(), at++; text.charAt(at) != '"'; at++) {
                char next = text.charAt(at);
                if (next == '\\') {
                    next = text.charAt(++at);
                    if (next == 'u') { next = (char) Integer.parseInt(text.substring(at + 1, at + 5), 16); at += 4; }
                    else if ("bfnrt".indexOf(next) >= 0) next = "\b\f\n\r\t".charAt("bfnrt".indexOf(next));
                }
                found.append(next);
            }
            at++;
            return found.toString();
        }

        private void skip(char expected) { if (peek() == expected) at++; }

        private char peek() { while (Character.isWhitespace(text.charAt(at))) at++; return text.charAt(at); }
    }
}
