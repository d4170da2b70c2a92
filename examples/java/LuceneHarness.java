// Lets rankspec check QualityStats of Lucene's benchmark module:  apt-get install default-jdk liblucene4.10-java
//   javac LineProtocol.java && ln -s /usr/share/java/lucene-benchmark-4.10.4.jar lucene-benchmark.jar
//   rankspec identify "jsonl:java -cp .:lucene-benchmark.jar LuceneHarness.java" --measure AP

import org.apache.lucene.benchmark.quality.QualityStats;

/** Average precision, reciprocal rank and precision of one query. */
public class LuceneHarness {
    public static void main(String[] arguments) throws Exception {
        String version = QualityStats.class.getPackage().getImplementationVersion();
        String measures = "{\"AP\": {}, \"RR\": {}, \"P\": {\"k\": \"required\"}}";
        LineProtocol.serve("lucene-benchmark", version.split(" ")[0], "ranking", measures, LuceneHarness::value);
    }

    private static double value(LineProtocol.Call call) {
        if (call.k() > QualityStats.MAX_POINTS) {
            throw new UnsupportedOperationException("no cutoffs beyond " + QualityStats.MAX_POINTS);
        }
        QualityStats stats = new QualityStats(call.numRelevant(), 0);
        for (int i = 0; i < call.relevance().length; i++) {
            stats.addResult(i + 1, call.relevance()[i] > 0, 0);
        }
        return switch (call.measure()) {
            case "AP" -> stats.getAvp();
            case "RR" -> stats.getMRR();
            default -> stats.getPrecisionAt(call.k());
        };
    }
}
