package io.fibry.bench;

import io.fibry.bench.report.Report;
import io.fibry.bench.report.Unit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import kotlinx.coroutines.Dispatchers;

/** Measures tasks of several sizes that are handed on, one after another, to see from which size on that is cheap. */
final class TaskSize implements Experiment {
    @Override
    public String name() {
        return "task-size";
    }

    @Override
    public String what() {
        return "tasks that make 1, 50 and 1,000 objects and are handed on: an ask, a future, async and await";
    }

    @Override
    public String checks() {
        return "the result of each task, and the sum of the answers";
    }

    @Override
    public Duration quickTime() {
        return Duration.ofSeconds(5);
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        int tasks = settings.count(20_000, 2_000, 20);
        try (var ways = new HandOver()) {
            var lines = new ArrayList<Line>();
            for (var task : List.of(Computation.of(1), Computation.of(50), Computation.of(1_000))) {
                var group = "%,d %s".formatted(task.objects(), task.objects() == 1 ? "object" : "objects");
                lines.addAll(ways.lines(group, tasks, task::run, task.result(), Dispatchers.getDefault()));
            }
            new Turns(Unit.lower("µs"), settings.pick(5, 1, 0), settings.pick(15, 2, 1)).run(lines, settings,
                    report);
        }
    }
}
