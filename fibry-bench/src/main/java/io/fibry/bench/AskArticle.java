package io.fibry.bench;

import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.Stereotypes;
import io.fibry.bench.report.Report;
import io.fibry.bench.report.Unit;
import java.util.List;

/** Measures the second figures of the article by a whole program. The JVM is cold, as it was in the article. */
final class AskArticle implements Experiment {
    @Override
    public String name() {
        return "ask-article";
    }

    @Override
    public String what() {
        return "the article's program: 250,000 asks in a JVM that has just started, on fibers and on threads";
    }

    @Override
    public String checks() {
        return "the sum of the answers";
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        int asks = settings.pick(250_000, 250_000, 1_000);
        new Turns(Unit.lower("ms"), 0, settings.pick(7, 3, 1)).run(List.of(
                of(asks, Peers.FIBERS, "fibers").article(1_500, ""),
                of(asks, Peers.FIBERS_LANES_OFF, "fibers", Peers.LANES_OFF).notQuick(),
                of(asks, Peers.THREADS, "threads").article(4_700, "").notQuick()), settings, report);
    }

    private static Line of(int asks, String peer, String strategy, String... jvmArgs) {
        return Line.of("%,d asks".formatted(asks), peer, (settings, samples) -> samples.add(ChildJvm.run(
                List.of(jvmArgs), AskArticle.class, List.of(strategy, "" + asks), System.err::println)
                .get("millis")));
    }

    /** Runs in the child: the snippet of the article, with a sum beside it. */
    public static void main(String[] args) {
        int asks = Integer.parseInt(args[1]);
        ActorSystem.setDefaultStrategy(
                args[0].equals("fibers") ? CreationStrategy.fibers() : CreationStrategy.threads());
        var sum = new int[1];
        var start = System.nanoTime();
        var act = ActorSystem.anonymous().newActorWithReturn((Integer n) -> n * n);
        Stereotypes.def().runOnceSilent(() -> {
            for (int i = 0; i < asks; i++) {
                sum[0] += act.sendMessageReturn(i).get();
            }
        }).closeOnExit(act).waitForExit();
        ChildJvm.result("millis", (System.nanoTime() - start) / 1e6);
        var expected = 0;
        for (int i = 0; i < asks; i++) {
            expected += i * i;
        }
        if (sum[0] != expected) {
            throw new AssertionError("the sum of the answers is " + sum[0] + ", not " + expected);
        }
    }
}
