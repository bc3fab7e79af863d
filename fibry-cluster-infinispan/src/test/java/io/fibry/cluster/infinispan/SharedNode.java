package io.fibry.cluster.infinispan;

import io.fibry.ActorScope;
import io.fibry.OverflowPolicy;
import io.fibry.Recipient;
import io.fibry.Stereotypes;
import io.fibry.cluster.Cluster;
import io.fibry.cluster.ClusterException;
import io.fibry.cluster.ClusterGroup;
import io.fibry.cluster.ClusterNode;
import io.fibry.cluster.ClusterOptions;
import io.fibry.cluster.Repeatable;
import io.fibry.cluster.UncertainException;
import io.fibry.cluster.infinispan.AskHistory.Ask;
import io.fibry.keyed.KeyedOptions;
import io.fibry.pool.PoolOptions;
import io.fibry.pool.WorkerPool;
import io.fibry.topic.Topic;
import io.fibry.topic.TopicOptions;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/** A node in a process of its own, which has its settings from its environment and does what its standard input says. */
final class SharedNode {
    static final Duration LIMIT = Duration.ofSeconds(20);
    static final int KEYS = 100;
    static final ClusterGroup<Integer, Add, String> COUNTERS =
            ClusterGroup.of("counters", Integer.class, Add.class, String.class, Add::key);

    static final ClusterGroup<String, Task, String> TASKS =
            ClusterGroup.workers("tasks", Task.class, String.class);
    static final ClusterGroup<String, News, Void> NEWS = ClusterGroup.topic("news", News.class);

    /** Adds to a counter. */
    record Add(int key, int number) {
    }

    /** Is for the workers of any node. */
    record Task(int number) implements Repeatable {
    }

    /** Is for all nodes. */
    record News(String publisher, int number) {
    }

    private final Cluster cluster;
    private final Recipient<Add, String> counters;
    private final Recipient<Task, String> tasks;
    private final Topic<News> news;
    private final ConcurrentLinkedQueue<News> read = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<Ask> asks = new ConcurrentLinkedQueue<>();
    private volatile boolean isOver;
    private CompletableFuture<Void> load = CompletableFuture.completedFuture(null);

    private SharedNode(ActorScope scope) {
        cluster = Cluster.open(scope, ClusterOptions.fromEnvironment().askLimit(LIMIT));
        var name = cluster.self().name();
        counters = cluster.share(COUNTERS, Stereotypes.with(scope.named("counters"))
                .keyedWithReturn(KeyedOptions.idle(Duration.ofMinutes(5)), COUNTERS.keyOf(), key -> {
                    var actor = name + " " + UUID.randomUUID();
                    var sum = new long[1];
                    return (self, add) -> actor + " " + (sum[0] += add.number());
                }));
        tasks = cluster.workers(TASKS, WorkerPool.openWithReturn(scope, "tasks",
                PoolOptions.<Task>fixed(2, 1_000).withOverflow(OverflowPolicy.reject()), task -> name));
        news = cluster.topic(NEWS, TopicOptions.defaults());
        news.subscribe(read::add);
    }

    /** Asks each counter, and returns which node has answered for how many keys; fails if one has not. */
    private String spread() throws Exception {
        var asked = new TreeMap<Integer, CompletableFuture<String>>();
        for (int key = 0; key < KEYS; key++) {
            asked.put(key, counters.sendMessageReturn(new Add(key, 0)));
        }
        var homes = new TreeMap<Integer, String>();
        for (var each : asked.entrySet()) {
            homes.put(each.getKey(), each.getValue().get().split(" ")[0]);
        }
        return homes.values().stream().collect(Collectors.joining());
    }

    /** Asks workers at the same time, and returns how many asks were answered by each node. */
    private String work(int number) throws Exception {
        var asked = new ArrayList<CompletableFuture<String>>();
        for (int i = 0; i < number; i++) {
            asked.add(tasks.sendMessageReturn(new Task(i)));
        }
        var by = new TreeMap<String, Integer>();
        for (var each : asked) {
            by.merge(each.get(), 1, Integer::sum);
        }
        return by.toString();
    }

    /** Publishes when there are so many subscribers, and returns how many have handled all of it. */
    private String publish(int number, int subscribers) throws Exception {
        while (news.subscribers() != subscribers) {
            LockSupport.parkNanos(1_000_000);
        }
        var handled = new TreeSet<Integer>();
        for (int i = 0; i < number; i++) {
            handled.add(news.publishAndWait(new News(cluster.self().name(), i)).handled());
        }
        return handled.toString();
    }

    /** Returns from whom what was read, and whether it was in order. */
    private String read() {
        var next = new TreeMap<String, Integer>();
        for (var each : read) {
            if (next.merge(each.publisher(), 1, Integer::sum) != each.number() + 1) {
                return "out of order: " + read;
            }
        }
        return next.toString();
    }

    private void ask(int key) {
        var begin = System.nanoTime();
        var unused = counters.sendMessageReturn(new Add(key, 1)).handle((answer, failure) -> {
            var end = System.nanoTime();
            if (answer != null) {
                var words = answer.split(" ");
                return asks.add(new Ask(key, begin, end, "answered", words[0] + " " + words[1],
                        Long.parseLong(words[2])));
            }
            var cause = failure instanceof ExecutionException ? failure.getCause() : failure;
            return asks.add(new Ask(key, begin, end,
                    cause instanceof UncertainException ? "uncertain" : String.valueOf(cause), "-", 0));
        });
    }

    /** Asks one key after another, each before the one before has its answer, until it is told to end and has all answers. */
    private void load(int perSecond) {
        var begun = 0;
        var begin = System.nanoTime();
        while (!isOver) {
            LockSupport
                    .parkNanos(begin + begun * TimeUnit.SECONDS.toNanos(1) / perSecond - System.nanoTime());
            ask(begun++ % KEYS);
        }
        while (asks.size() < begun) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    /** Writes what was asked into a file; returns how many were answered, uncertain and failed, and the time of the slowest and of one in a thousand. */
    private String end(Path file) throws Exception {
        isOver = true;
        load.get();
        var all = List.copyOf(asks);
        asks.clear();
        Files.write(file, all.stream().map(Ask::line).toList());
        var millis =
                all.stream().mapToLong(each -> (each.end() - each.begin()) / 1_000_000).sorted().toArray();
        var failures = new TreeMap<String, Integer>();
        all.stream().map(Ask::outcome).filter(each -> !each.equals("answered") && !each.equals("uncertain"))
                .forEach(each -> failures.merge(each, 1, Integer::sum));
        return all.stream().filter(Ask::isAnswered).count() + " "
                + all.stream().filter(each -> each.outcome().equals("uncertain")).count() + " "
                + millis[millis.length - 1] + " " + millis[millis.length * 999 / 1000] + " " + failures;
    }

    private String answer(String[] words) throws Exception {
        return switch (words[0]) {
            case "spread" -> spread();
            case "members" ->
                cluster.members().stream().map(ClusterNode::name).sorted().collect(Collectors.joining());
            case "begin" -> {
                isOver = false;
                load = CompletableFuture.runAsync(() -> load(Integer.parseInt(words[1])),
                        task -> Thread.ofVirtual().start(task));
                yield "begun";
            }
            case "end" -> end(Path.of(words[1]));
            case "work" -> work(Integer.parseInt(words[1]));
            case "publish" -> publish(Integer.parseInt(words[1]), Integer.parseInt(words[2]));
            case "read" -> read();
            case "serves" -> "" + cluster.serves();
            case "leave" -> "" + cluster.leave(LIMIT);
            default -> throw new IllegalArgumentException(words[0]);
        };
    }

    public static void main(String[] args) throws Exception {
        var begin = System.nanoTime();
        try (var scope = ActorScope.open("shared")) {
            SharedNode node;
            try {
                node = new SharedNode(scope);
            } catch (ClusterException refused) {
                System.out.println("READY ! " + refused.getMessage());
                return;
            }
            System.out.println("READY " + (System.nanoTime() - begin) / 1_000_000);
            var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (var line = in.readLine(); line != null; line = in.readLine()) {
                String said;
                try {
                    said = node.answer(line.split(" "));
                } catch (Exception failed) {
                    said = "! " + failed;
                }
                System.out.println("= " + said);
            }
            node.cluster.close();
        }
    }
}
