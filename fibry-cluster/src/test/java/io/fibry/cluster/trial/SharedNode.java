package io.fibry.cluster.trial;

import io.fibry.ActorContext;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.OverflowPolicy;
import io.fibry.Recipient;
import io.fibry.cluster.Cluster;
import io.fibry.cluster.ClusterEvent;
import io.fibry.cluster.ClusterException;
import io.fibry.cluster.ClusterGroup;
import io.fibry.cluster.ClusterNode;
import io.fibry.cluster.ClusterOptions;
import io.fibry.cluster.NotHandledException;
import io.fibry.cluster.Repeatable;
import io.fibry.cluster.UncertainException;
import io.fibry.cluster.trial.Deliveries.Id;
import io.fibry.cluster.trial.Deliveries.Kind;
import io.fibry.function.ContextReplyHandler;
import io.fibry.message.MessageFate;
import io.fibry.pool.PoolOptions;
import io.fibry.pool.WorkerPool;
import io.fibry.topic.Topic;
import io.fibry.topic.TopicOptions;
import java.io.BufferedReader;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A node in a process of its own, which has its settings from its environment and does what its standard input says. */
public final class SharedNode {
    public static final Duration LIMIT = Duration.ofSeconds(20);
    public static final int KEYS = 100;
    public static final ClusterGroup<Integer, Command, String> COUNTERS =
            ClusterGroup.of("counters", Integer.class, Command.class, String.class, Command::key);

    public static final ClusterGroup<String, Task, String> TASKS =
            ClusterGroup.workers("tasks", Task.class, String.class);
    public static final ClusterGroup<String, News, Void> NEWS = ClusterGroup.topic("news", News.class);

    /** Is for the counter of a key. */
    public sealed interface Command {
        int key();

        /** Is answered with the name of the node, the actor, and how many of these it has handled. */
        record Count(int key, String sender, long number) implements Command {
        }

        /** Is told. */
        record Note(int key, String sender, long number) implements Command {
        }

        /** Is answered as a count, and counts nothing. */
        record Look(int key) implements Command {
        }
    }

    /** Is for the workers of any node. */
    public record Task(int number) implements Repeatable {
    }

    /** Is for all nodes. */
    public record News(String publisher, int number) {
    }

    private final Cluster cluster;
    private final FileOutputStream out;
    /** Each start of a process has a name of its own, which is that of its log. */
    private final String process;
    private final AtomicLong actors = new AtomicLong();
    private final Recipient<Command, String> counters;
    private final Recipient<Task, String> tasks;
    private final Topic<News> news;
    private final ConcurrentLinkedQueue<News> read = new ConcurrentLinkedQueue<>();
    /** What was sent to each key; one load at a time sends. */
    private final long[] numbers = new long[KEYS];
    private final ConcurrentLinkedQueue<Fate> fates = new ConcurrentLinkedQueue<>();
    private final AtomicLong uncertain = new AtomicLong();
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicInteger tells = new AtomicInteger();
    /** When the load has begun to send what it sends now. */
    private volatile long sendBegin;
    private volatile boolean isOver;
    private volatile boolean hasLeft;
    private CompletableFuture<Void> load = CompletableFuture.completedFuture(null);

    /** What has become of a message, and when it began and ended. */
    private record Fate(Kind kind, String text, long begin, long end) {
        long millis() {
            return (end - begin) / 1_000_000;
        }
    }

    /** Logs what it handles before it does so. */
    private final class Counter implements ContextReplyHandler<Command, String> {
        private final String actor = process + "#" + actors.incrementAndGet();
        private long sum;

        @Override
        public String handle(ActorContext<Command, String> self, Command command) {
            switch (command) {
                case Command.Count(var key, var sender, var number) -> {
                    log(Deliveries.handled(new Id(sender, key, number), actor, System.nanoTime()));
                    sum++;
                }
                case Command.Note(var key, var sender, var number) ->
                    log(Deliveries.handled(new Id(sender, key, number), actor, System.nanoTime()));
                case Command.Look look -> {
                }
            }
            return cluster.self().name() + " " + actor + " " + sum;
        }
    }

    private SharedNode(ActorScope scope, Path log) throws IOException {
        out = new FileOutputStream(log.toFile(), true);
        process = log.getFileName().toString();
        cluster = Cluster.open(scope, ClusterOptions.fromEnvironment().askLimit(LIMIT)
                .sendBuffer(Long.getLong("shared.sendBuffer", 16L << 20)));
        var name = cluster.self().name();
        counters = cluster.share(COUNTERS, scope.named("counters").keyed(COUNTERS.keyOf())
                .newActorsWithReturnFrom(key -> new Counter()));
        tasks = cluster.workers(TASKS, WorkerPool.openWithReturn(scope, "tasks",
                PoolOptions.<Task>fixed(2, 1_000).withOverflow(OverflowPolicy.reject()), task -> name));
        news = cluster.topic(NEWS, TopicOptions.defaults());
        news.subscribe(read::add);
        var unused = cluster.watch(this::watch);
    }

    /** A line that was written outlives this process. */
    private void log(String line) {
        try {
            synchronized (out) {
                out.write(line.getBytes(StandardCharsets.UTF_8));
            }
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** What was told and has another fate than to be handled is told to watchers. */
    private void watch(ClusterEvent event) {
        switch (event) {
            case ClusterEvent.Uncertain(var group, var message, var node) -> {
                if (message instanceof Command.Note(var key, var sender, var number)) {
                    told(new Id(sender, key, number), Kind.TELL, Deliveries.UNCERTAIN, 0, "-", 0);
                }
                uncertain.incrementAndGet();
            }
            case ClusterEvent.NotHandled(var group, var message, var cause) -> {
                if (message instanceof Command.Note(var key, var sender, var number)) {
                    told(new Id(sender, key, number), Kind.TELL, Deliveries.NOT_HANDLED + ": " + cause, 0,
                            "-", 0);
                }
            }
            default -> {
            }
        }
    }

    private void told(Id id, Kind kind, String fate, long begin, String actor, long value) {
        var end = System.nanoTime();
        log(Deliveries.told(id, fate, end, actor, value));
        fates.add(new Fate(kind, fate, begin, end));
    }

    private String fateOf(Throwable failure) {
        var cause = failure instanceof ExecutionException || failure instanceof CompletionException
                ? failure.getCause() : failure;
        if (cause instanceof UncertainException) {
            uncertain.incrementAndGet();
            return Deliveries.UNCERTAIN;
        }
        return cause instanceof NotHandledException ? Deliveries.NOT_HANDLED + ": " + cause
                : String.valueOf(cause);
    }

    /** Asks each counter, and returns which node has answered for how many keys; fails if one has not. */
    private String spread() throws Exception {
        var asked = new TreeMap<Integer, CompletableFuture<String>>();
        for (int key = 0; key < KEYS; key++) {
            asked.put(key, counters.sendMessageReturn(new Command.Look(key)));
        }
        for (var each : asked.values()) {
            var unused = each.exceptionally(this::fateOf);
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

    /** Asks a key, and returns later whether it has answered. */
    private CompletableFuture<Boolean> ask(int key) {
        var id = new Id(process, key, ++numbers[key]);
        var begin = System.nanoTime();
        log(Deliveries.sent(id, Kind.ASK, begin));
        return counters.sendMessageReturn(new Command.Count(key, id.sender(), id.number()))
                .handle((answer, failure) -> {
                    if (answer == null) {
                        told(id, Kind.ASK, fateOf(failure), begin, "-", 0);
                    } else {
                        var words = answer.split(" ");
                        told(id, Kind.ASK, Deliveries.HANDLED, begin, words[1], Long.parseLong(words[2]));
                    }
                    return answer != null;
                });
    }

    private void tell(int key) {
        var id = new Id(process, key, ++numbers[key]);
        var begin = System.nanoTime();
        log(Deliveries.sent(id, Kind.TELL, begin));
        tells.incrementAndGet();
        if (!counters.sendMessage(new Command.Note(key, id.sender(), id.number()))) {
            told(id, Kind.TELL, Deliveries.NOT_HANDLED + ": refused", begin, "-", 0);
        }
    }

    private void track(int key) {
        var id = new Id(process, key, ++numbers[key]);
        var begin = System.nanoTime();
        log(Deliveries.sent(id, Kind.TRACKED, begin));
        tells.incrementAndGet();
        open.incrementAndGet();
        var unused = counters.sendTracked(new Command.Note(key, id.sender(), id.number()))
                .handle((fate, failure) -> {
                    var text = switch (fate) {
                        case null -> fateOf(failure);
                        case MessageFate.Handled handled -> Deliveries.HANDLED;
                        case MessageFate.Failed failed -> failed.toString();
                        default -> Deliveries.NOT_HANDLED + ": " + fate;
                    };
                    told(id, Kind.TRACKED, text, begin, "-", 0);
                    return open.decrementAndGet();
                });
    }

    /** Asks and tells one key after another, whatever has become of what was sent before, until it is told to end; one in ten tells is tracked. */
    private void load(int perSecond) {
        var asked = new ArrayList<CompletableFuture<Boolean>>();
        var begin = System.nanoTime();
        for (var begun = 0; !isOver; begun++) {
            LockSupport
                    .parkNanos(begin + begun * TimeUnit.SECONDS.toNanos(1) / perSecond - System.nanoTime());
            var key = begun % KEYS;
            sendBegin = System.nanoTime();
            asked.add(ask(key));
            if (begun % 10 == begun / KEYS % 10) {
                track(key);
            } else {
                tell(key);
            }
        }
        CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new)).join();
        settle();
    }

    /** Asks keys that are not at home on a node, one after the other, and returns the milliseconds of the slowest ask. */
    private long askOthers(String node) throws Exception {
        var longest = 0L;
        for (int key = 0; key < KEYS; key++) {
            if (cluster.homeOf(COUNTERS, key).filter(home -> !home.name().equals(node)).isPresent()) {
                var begin = System.nanoTime();
                counters.sendMessageReturnWait(new Command.Look(key));
                longest = Math.max(longest, System.nanoTime() - begin);
            }
        }
        return longest / 1_000_000;
    }

    /** Waits until all that was told was handled, or its fate is known. An actor answers when it has handled what came before, unless this node has left. */
    private void settle() {
        for (var unanswered = IntStream.range(0, KEYS).boxed().toList(); !hasLeft && !unanswered.isEmpty();) {
            var answers = new TreeMap<Integer, CompletableFuture<Boolean>>();
            unanswered.forEach(key -> answers.put(key, ask(key)));
            unanswered = answers.entrySet().stream().filter(each -> !each.getValue().join())
                    .map(Map.Entry::getKey).toList();
        }
        var end = System.nanoTime() + LIMIT.toNanos();
        while (open.get() > 0 || cluster.uncertain() != uncertain.get()) {
            if (System.nanoTime() > end) {
                throw new IllegalStateException(open + " messages have no fate; of " + cluster.uncertain()
                        + " that are uncertain, senders were told " + uncertain);
            }
            LockSupport.parkNanos(1_000_000);
        }
    }

    /** Returns how many were answered, told, and uncertain, the time of the slowest ask and of one in a thousand, and what has failed. */
    private String end() throws Exception {
        isOver = true;
        load.get();
        var all = List.copyOf(fates);
        fates.clear();
        var asks = all.stream().filter(each -> each.kind == Kind.ASK).toList();
        var millis = asks.stream().mapToLong(Fate::millis).sorted().toArray();
        var failures = new TreeMap<String, Integer>();
        all.stream().map(Fate::text)
                .filter(each -> !each.equals(Deliveries.HANDLED) && !each.equals(Deliveries.UNCERTAIN))
                .forEach(each -> failures.merge(each, 1, Integer::sum));
        return asks.stream().filter(each -> each.text.equals(Deliveries.HANDLED)).count() + " "
                + tells.getAndSet(0) + " "
                + all.stream().filter(each -> each.text.equals(Deliveries.UNCERTAIN)).count() + " "
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
            case "sending" -> "" + (System.nanoTime() - sendBegin) / 1_000_000;
            case "others" -> "" + askOthers(words[1]);
            case "end" -> end();
            case "work" -> work(Integer.parseInt(words[1]));
            case "publish" -> publish(Integer.parseInt(words[1]), Integer.parseInt(words[2]));
            case "read" -> read();
            case "serves" -> "" + cluster.serves();
            case "leave" -> {
                hasLeft = true;
                yield "" + cluster.leave(LIMIT);
            }
            default -> throw new IllegalArgumentException(words[0]);
        };
    }

    public static void main(String[] args) throws Exception {
        var begin = System.nanoTime();
        try (var scope = ActorSystem.open("shared")) {
            SharedNode node;
            try {
                node = new SharedNode(scope, Path.of(args[0]));
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
