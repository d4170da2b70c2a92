// Lets rankspec check the area under H2O's precision-recall curve:  pip install h2o
//   javac LineProtocol.java     (h2o.jar is the file h2o/backend/bin/h2o.jar of the Python package)
//   rankspec identify "jsonl:java -cp .:h2o.jar H2oHarness.java" --measure AP

import hex.AUC2;

/** The area, from the labels and the scores of one query, with the number of bins that H2O has by default. */
public class H2oHarness {
    public static void main(String[] arguments) throws Exception {
        LineProtocol.serve("h2o", water.H2O.ABV.projectVersion(), "labels-scores", "{\"AP\": {}}", H2oHarness::value);
    }

    private static double value(LineProtocol.Call call) {
        AUC2.AUCBuilder builder = new AUC2.AUCBuilder(AUC2.NBINS);
        for (int i = 0; i < call.labels().length; i++) {
            builder.perRow(call.scores()[i], (int) call.labels()[i], 1);
        }
        return new AUC2(builder).pr_auc();
    }
}
