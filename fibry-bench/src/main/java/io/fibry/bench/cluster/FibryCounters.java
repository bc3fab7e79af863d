package io.fibry.bench.cluster;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.Recipient;
import io.fibry.cluster.Cluster;
import io.fibry.cluster.ClusterGroup;
import io.fibry.cluster.ClusterOptions;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.LongAdder;

/** By Fibry on a file of SQLite, with default settings. */
final class FibryCounters implements SharedCounters {
    private static final ClusterGroup<Integer, Add, Count> GROUP =
            ClusterGroup.of("counters", Integer.class, Add.class, Count.class, Add::key);

    private record Add(int key, int number) {
    }

    private final ActorScope scope = ActorSystem.open("counters");
    private final Cluster cluster;
    private final Recipient<Add, Count> counters;
    private final LongAdder handled = new LongAdder();

    FibryCounters(String name, String database) {
        cluster = Cluster.open(scope, ClusterOptions.fromEnvironment(
                Map.of("FIBRY_CLUSTER", database, "FIBRY_NODE", name)));
        counters = cluster.share(GROUP,
                scope.named("counters").keyed(GROUP.keyOf()).newActorsWithReturnFrom(key -> {
                    var sum = new long[1];
                    return (self, add) -> {
                        handled.add(add.number());
                        return new Count(name, sum[0] += add.number());
                    };
                }));
    }

    @Override
    public CompletionStage<Count> add(int key, int number, Duration limit) {
        return counters.ask(new Add(key, number), limit);
    }

    @Override
    public boolean addOne(int key) {
        return counters.sendMessage(new Add(key, 1));
    }

    @Override
    public long handled() {
        return handled.sum();
    }

    @Override
    public void leave() {
        cluster.close();
        scope.close();
    }
}
