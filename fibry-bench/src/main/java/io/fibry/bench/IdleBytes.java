package io.fibry.bench;

import io.fibry.bench.Settings.Size;
import io.fibry.bench.report.Report;
import io.fibry.bench.report.Unit;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.Stream;

/** Measures the memory of an idle actor: the live heap with many of them, less the live heap without them. */
final class IdleBytes implements Experiment {
    private static final String HEAP = "4g";
    private static final String SMOKE_HEAP = "256m";

    @Override
    public String name() {
        return "idle-bytes";
    }

    @Override
    public String what() {
        return "the heap that each of 1,000,000 idle actors takes, in a JVM of its own for each kind";
    }

    @Override
    public String checks() {
        return "all are idle when it is measured";
    }

    @Override
    public Duration quickTime() {
        return Duration.ofSeconds(9);
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        int count = settings.count(1_000_000, 200_000, 10_000);
        var heap = settings.size() == Size.SMOKE ? SMOKE_HEAP : HEAP;
        report.note("%,d each, -Xms%s -Xmx%s, serial collector".formatted(count, heap, heap));
        var lines = Stream.of(IdleActor.values()).map(kind -> Line.of("", kind.subject,
                (own, samples) -> samples.add(bytes(kind, count, heap, report))).mustBe(kind.budget))
                .toList();
        new Turns(Unit.lower("bytes of heap"), 0, settings.timesEach()).run(lines, settings, report);
    }

    private static double bytes(IdleActor kind, int count, String heap, Report report)
            throws IOException, InterruptedException {
        return ChildJvm.run(List.of("-Xms" + heap, "-Xmx" + heap, "-XX:+UseSerialGC"), IdleBytes.class,
                List.of(kind.name(), "" + count), report::progress).get("bytes");
    }

    /** Runs in the child. The arguments are the kind and the number. */
    public static void main(String[] args) throws InterruptedException {
        var kind = IdleActor.valueOf(args[0]);
        int count = Integer.parseInt(args[1]);
        var make = kind.maker();
        var warmUp = new Object[100]; // loads the classes
        fill(kind, warmUp, i -> make.apply(-1 - i));

        var kept = new Object[count]; // made before the measurement, so it does not count
        var before = Heap.live();
        fill(kind, kept, make::apply);
        var after = Heap.live();

        for (var each : kept) {
            if (!kind.isIdle(each)) {
                throw new AssertionError("not idle: " + each);
            }
        }
        ChildJvm.result("bytes", (double) (after - before) / count);
        Runtime.getRuntime().halt(0); // a million parked threads take seconds to end
    }

    private static void fill(IdleActor kind, Object[] kept, IntFunction<Object> make) {
        for (int i = 0; i < kept.length; i++) {
            kept[i] = make.apply(i);
        }
        for (var each : kept) {
            kind.awaitIdle(each);
        }
    }
}
