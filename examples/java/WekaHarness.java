// Lets rankspec check Weka:  rankspec identify "jsonl:java -cp weka.jar WekaHarness.java" --measure AP
// It speaks the line protocol of docs/line-protocol.md: JSON lines on standard input and output.

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import weka.classifiers.evaluation.NominalPrediction;
import weka.classifiers.evaluation.Prediction;
import weka.classifiers.evaluation.ThresholdCurve;

/** Weka's area under the precision-recall curve, from the labels and the scores of one query. */
public class WekaHarness {
    private static final Pattern SEQ = Pattern.compile("\"seq\": *(\\d+)");
    private static final Pattern LABELS = Pattern.compile("\"y_true\": *\\[([^\\]]*)\\]");
    private static final Pattern SCORES = Pattern.compile("\"y_score\": *\\[([^\\]]*)\\]");

    public static void main(String[] arguments) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.matches(".*\"type\": *\"start\".*")) {
                System.out.println("{\"type\": \"hello\", \"protocol\": 1, \"name\": \"weka\", \"version\": \""
                        + weka.core.Version.VERSION + "\", \"shape\": \"labels-scores\", \"convention\": \"default\","
                        + " \"measures\": {\"AP\": {}}}");
            } else {
                Matcher seq = SEQ.matcher(line);
                Matcher labels = LABELS.matcher(line);
                Matcher scores = SCORES.matcher(line);
                while (seq.find() && labels.find() && scores.find()) {
                    System.out.println("{\"type\": \"result\", \"seq\": " + seq.group(1) + ", "
                            + answer(numbers(labels.group(1)), numbers(scores.group(1))) + "}");
                }
            }
        }
    }

    /** A score stands for the probability of the second class, which is what Weka orders by. */
    private static String answer(List<Double> labels, List<Double> scores) {
        try {
            ArrayList<Prediction> predictions = new ArrayList<>();
            for (int i = 0; i < labels.size(); i++) {
                double[] distribution = {1 - scores.get(i), scores.get(i)};
                predictions.add(new NominalPrediction(labels.get(i), distribution));
            }
            double value = ThresholdCurve.getPRCArea(new ThresholdCurve().getCurve(predictions, 1));
            return "\"outcome\": \"value\", \"value\": \"" + value + "\"";
        } catch (RuntimeException error) {
            String message = String.valueOf(error.getMessage()).replaceAll("[^ -~]|[\"\\\\]", "'");
            return "\"outcome\": \"errored\", \"error\": \"" + error.getClass().getSimpleName() + "\", \"message\": \""
                    + message + "\"";
        }
    }

    private static List<Double> numbers(String listed) {
        List<Double> values = new ArrayList<>();
        for (String each : listed.split(",")) {
            String text = each.replace("\"", "").trim();
            if (!text.isEmpty()) {
                values.add(Double.parseDouble(text));
            }
        }
        return values;
    }
}
