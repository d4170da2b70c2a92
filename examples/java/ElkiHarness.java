// Lets rankspec check ELKI's evaluation of scores:  apt-get install default-jdk elki
//   javac LineProtocol.java && ln -s /usr/share/java/elki.jar elki.jar
//   rankspec identify "jsonl:java -cp .:elki.jar ElkiHarness.java" --measure AP

import de.lmu.ifi.dbs.elki.data.DoubleVector;
import de.lmu.ifi.dbs.elki.evaluation.scores.AveragePrecisionEvaluation;
import de.lmu.ifi.dbs.elki.evaluation.scores.PrecisionAtKEvaluation;
import de.lmu.ifi.dbs.elki.evaluation.scores.ScoreEvaluation;
import de.lmu.ifi.dbs.elki.evaluation.scores.adapter.DecreasingVectorIter;
import de.lmu.ifi.dbs.elki.evaluation.scores.adapter.VectorNonZero;

/** Average precision, and precision at k, from the labels and the scores of one query. */
public class ElkiHarness {
    public static void main(String[] arguments) throws Exception {
        String measures = "{\"AP\": {}, \"P\": {\"k\": \"required\"}}";
        LineProtocol.serve("elki", "0.7.1", "labels-scores", measures, ElkiHarness::value);
    }

    private static double value(LineProtocol.Call call) {
        VectorNonZero labels = new VectorNonZero(new DoubleVector(call.labels()));
        DecreasingVectorIter scores = new DecreasingVectorIter(new DoubleVector(call.scores()));
        ScoreEvaluation evaluation = call.measure().equals("AP")
                ? AveragePrecisionEvaluation.STATIC : new PrecisionAtKEvaluation(call.k());
        return evaluation.evaluate(labels, scores);
    }
}
