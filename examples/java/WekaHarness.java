// Lets rankspec check the area under Weka's precision-recall curve:  pip install python-weka-wrapper3
//   javac LineProtocol.java     (weka.jar is the file weka/lib/weka.jar of the Python package)
//   rankspec identify "jsonl:java -cp .:weka.jar WekaHarness.java" --measure AP

import java.util.ArrayList;
import weka.classifiers.evaluation.NominalPrediction;
import weka.classifiers.evaluation.Prediction;
import weka.classifiers.evaluation.ThresholdCurve;

/** The area, from the labels and the scores of one query. */
public class WekaHarness {
    public static void main(String[] arguments) throws Exception {
        LineProtocol.serve("weka", weka.core.Version.VERSION, "labels-scores", "{\"AP\": {}}", WekaHarness::value);
    }

    /** A score stands for the probability of the second class, which is what Weka orders by. */
    private static double value(LineProtocol.Call call) {
        ArrayList<Prediction> predictions = new ArrayList<>();
        for (int i = 0; i < call.labels().length; i++) {
            double[] distribution = {1 - call.scores()[i], call.scores()[i]};
            predictions.add(new NominalPrediction(call.labels()[i], distribution));
        }
        return ThresholdCurve.getPRCArea(new ThresholdCurve().getCurve(predictions, 1));
    }
}
