import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The line protocol of docs/line-protocol.md, for functions of the ranking of one query. */
public final class LineProtocol {
    private static final Pattern CALL = Pattern.compile("\"seq\":.*?\"arguments\": *\\{.*?}");

    /** One call; what its shape lacks is empty, 0 or -1. */
    public record Call(String measure, int k, double[] relevance, int numRelevant, double[] labels, double[] scores) {}

    /**
     * Answer every call on standard input. {@code measures} is the JSON object of the measures. A function that takes
     * no such call throws an UnsupportedOperationException.
     */
    public static void serve(String name, String version, String shape, String measures, ToDoubleFunction<Call> function)
            throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.matches(".*\"type\": *\"start\".*")) {
                System.out.printf(Locale.ROOT, "{\"type\": \"hello\", \"protocol\": 1, \"name\": \"%s\", "
                        + "\"version\": \"%s\", \"shape\": \"%s\", \"convention\": \"default\", \"measures\": %s}%n",
                        name, version, shape, measures);
            }
            for (Matcher call = CALL.matcher(line); call.find();) {
                String text = call.group();
                System.out.printf("{\"type\": \"result\", \"seq\": %s, %s}%n", field(text, "seq"), answer(text, function));
            }
        }
    }

    private static String answer(String text, ToDoubleFunction<Call> function) {
        try {
            Call call = new Call(field(text, "measure"), number(field(text, "k")), numbers(text, "relevance"),
                    number(field(text, "num_relevant")), numbers(text, "y_true"), numbers(text, "y_score"));
            return "\"outcome\": \"value\", \"value\": \"" + function.applyAsDouble(call) + "\"";
        } catch (UnsupportedOperationException error) {
            return "\"outcome\": \"skipped\", \"reason\": \"" + error.getMessage() + "\"";
        } catch (RuntimeException | AssertionError error) {
            String message = String.valueOf(error.getMessage()).replaceAll("[^ -~]|[\"\\\\]", "'");
            return "\"outcome\": \"errored\", \"error\": \"" + error.getClass().getSimpleName() + "\", \"message\": \""
                    + message + "\"";
        }
    }

    private static String field(String text, String name) {
        Matcher matcher = Pattern.compile("\"" + name + "\": *\"?([\\w.-]+)").matcher(text);
        return matcher.find() ? matcher.group(1) : "-1";
    }

    private static int number(String text) {
        return Integer.parseInt(text);
    }

    private static double[] numbers(String text, String name) {
        Matcher matcher = Pattern.compile("\"" + name + "\": *\\[([^\\]]*)]").matcher(text);
        String listed = matcher.find() ? matcher.group(1).replace("\"", "") : "";
        return Stream.of(listed.split(",")).map(String::trim).filter(each -> !each.isEmpty())
                .mapToDouble(Double::parseDouble).toArray();
    }
}
