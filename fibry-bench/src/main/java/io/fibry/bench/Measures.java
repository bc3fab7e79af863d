package io.fibry.bench;

import io.fibry.bench.jmh.MeasuredBy;
import io.fibry.bench.jmh.MeasuredWork;
import io.fibry.bench.jmh.MeasuresBenchmark;
import io.fibry.bench.report.Report;
import io.fibry.bench.report.Unit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Measures what it costs to measure, to carry context, and to be recorded. */
final class Measures implements Experiment {
    @Override
    public String name() {
        return "measures";
    }

    @Override
    public String what() {
        return "what a message costs in a scope that is measured, in one with a carrier of context, and in a recording; empty handlers";
    }

    @Override
    public String checks() {
        return "each message is handled once";
    }

    /** Returns no time: a quick run of all experiments measures each line once. */
    @Override
    public Duration quickTime() {
        return Duration.ZERO;
    }

    @Override
    public Duration quickTimeIfNamed() {
        return Duration.ofSeconds(100);
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        var lines = new ArrayList<Line>();
        for (var work : MeasuredWork.values()) {
            for (var by : MeasuredBy.values()) {
                lines.add(Line.of(subject(work), peer(by),
                        JmhRun.of(MeasuresBenchmark.class, "run").with("work", work).with("by", by)
                                .operations("messages", 100_000)));
            }
        }
        JmhRun.turns(settings, Unit.lower("ns/message")).run(List.copyOf(lines), settings, report);
    }

    private static String subject(MeasuredWork work) {
        return switch (work) {
            case ASK -> "ask between actors";
            case RING -> "a ring of 100 actors";
            case FLOOD -> "a thread sends 5,000 at a time";
        };
    }

    private static String peer(MeasuredBy by) {
        return switch (by) {
            case NOTHING -> "without measures";
            case SAMPLE -> "measures, one of 1,000 timed";
            case EACH -> "measures, each timed";
            case CARRIER -> "a carrier without context";
            case RECORDING -> "a recording without slow messages";
            case RECORDING_SLOW -> "a recording with slow messages";
        };
    }
}
