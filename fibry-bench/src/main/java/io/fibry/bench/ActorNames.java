package io.fibry.bench;

import io.fibry.bench.jmh.NamesBenchmark;
import io.fibry.bench.report.Report;
import io.fibry.bench.report.Unit;
import java.time.Duration;
import java.util.List;

/** Measures the cost of the actor's name in each line of a log. */
final class ActorNames implements Experiment {
    @Override
    public String name() {
        return "actor-names";
    }

    @Override
    public String what() {
        return "an actor sends itself messages, without and with its name in the diagnostic context of the log (Logback); "
                + "a handler calls currentActor()";
    }

    @Override
    public String checks() {
        return "each message is handled once; each call gives a name";
    }

    @Override
    public Duration quickTime() {
        return Duration.ofSeconds(2);
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        JmhRun.turns(settings, Unit.lower("ns")).run(List.of(
                message("without nameActorsInMdc()", false),
                message("with nameActorsInMdc()", true),
                call("an actor with a name", true),
                call("an anonymous actor", false)), settings, report);
    }

    private static Line message(String what, boolean inMdc) {
        return Line.of("a message", "Fibry, " + what, of("message").with("inMdc", inMdc).with("named", true));
    }

    private static Line call(String what, boolean named) {
        return Line.of("a call of currentActor()", "Fibry, " + what,
                of("currentActor").with("inMdc", false).with("named", named)).notQuick();
    }

    private static JmhRun of(String method) {
        return JmhRun.of(NamesBenchmark.class, method).operations("times", 100_000);
    }
}
