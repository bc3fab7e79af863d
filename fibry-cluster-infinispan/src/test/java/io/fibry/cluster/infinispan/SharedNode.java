package io.fibry.cluster.infinispan;

import io.fibry.ActorScope;
import io.fibry.Recipient;
import io.fibry.Stereotypes;
import io.fibry.cluster.Cluster;
import io.fibry.cluster.ClusterGroup;
import io.fibry.cluster.ClusterNode;
import io.fibry.cluster.ClusterOptions;
import io.fibry.cluster.UncertainException;
import io.fibry.keyed.KeyedOptions;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

/** A node in a process of its own, which does what its standard input says. */
final class SharedNode {
    static final Duration LIMIT = Duration.ofSeconds(20);
    static final int KEYS = 100;
    static final ClusterGroup<Integer, Add, String> COUNTERS =
            ClusterGroup.of("counters", Integer.class, Add.class, String.class, Add::key);

    /** Adds to a counter. */
    record Add(int key, int number) {
    }

    private final Cluster cluster;
    private final Recipient<Add, String> counters;
    private final AtomicBoolean isOver = new AtomicBoolean();
    private CompletableFuture<String> load = CompletableFuture.completedFuture("");

    private SharedNode(ActorScope scope, String name, InfinispanSettings settings) {
        cluster =
                Cluster.open(scope, ClusterOptions.on(name, new InfinispanEngine(settings)).askLimit(LIMIT));
        counters = cluster.share(COUNTERS, Stereotypes.with(scope.named("counters"))
                .keyedWithReturn(KeyedOptions.idle(Duration.ofMinutes(5)), COUNTERS.keyOf(), key -> {
                    var sum = new int[1];
                    return (self, add) -> name + " " + (sum[0] += add.number());
                }));
    }

    /** Adds one to each counter, and returns which node has answered for how many keys; fails if one has not. */
    private String spread() throws Exception {
        var asked = new TreeMap<Integer, CompletableFuture<String>>();
        for (int key = 0; key < KEYS; key++) {
            asked.put(key, counters.sendMessageReturn(new Add(key, 1)));
        }
        var homes = new TreeMap<Integer, String>();
        for (var each : asked.entrySet()) {
            homes.put(each.getKey(), each.getValue().get().split(" ")[0]);
        }
        return homes.values().stream().collect(Collectors.joining());
    }

    /** Asks one key after the other until it is told to end; returns how many were answered, uncertain and failed, and the longest time in ms. */
    private String load() throws InterruptedException {
        var answered = 0;
        var uncertain = 0;
        var failures = new TreeMap<String, Integer>();
        var longest = 0L;
        for (int i = 0; !isOver.get(); i++) {
            var begin = System.nanoTime();
            try {
                var unused = counters.sendMessageReturn(new Add(i % KEYS, 0)).get();
                answered++;
            } catch (ExecutionException failed) {
                if (failed.getCause() instanceof UncertainException) {
                    uncertain++;
                } else {
                    failures.merge(String.valueOf(failed.getCause()), 1, Integer::sum);
                }
            }
            longest = Math.max(longest, System.nanoTime() - begin);
        }
        return answered + " " + uncertain + " " + longest / 1_000_000 + " " + failures;
    }

    private String answer(String line) throws Exception {
        return switch (line) {
            case "spread" -> spread();
            case "members" ->
                cluster.members().stream().map(ClusterNode::name).sorted().collect(Collectors.joining());
            case "begin" -> {
                isOver.set(false);
                load = CompletableFuture.supplyAsync(() -> {
                    try {
                        return load();
                    } catch (InterruptedException never) {
                        throw new IllegalStateException(never);
                    }
                }, task -> Thread.ofVirtual().start(task));
                yield "begun";
            }
            case "end" -> {
                isOver.set(true);
                yield load.get();
            }
            case "leave" -> "" + cluster.leave(LIMIT);
            default -> throw new IllegalArgumentException(line);
        };
    }

    public static void main(String[] args) throws Exception {
        var settings = InfinispanSettings.of("shared", "127.0.0.1", Integer.parseInt(args[1]),
                List.of(args[2].split(",")));
        try (var scope = ActorScope.open(args[0])) {
            var node = new SharedNode(scope, args[0], settings);
            System.out.println("READY");
            var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (var line = in.readLine(); line != null; line = in.readLine()) {
                String said;
                try {
                    said = node.answer(line);
                } catch (Exception failed) {
                    said = "! " + failed;
                }
                System.out.println("= " + said);
            }
            node.cluster.close();
        }
    }
}
