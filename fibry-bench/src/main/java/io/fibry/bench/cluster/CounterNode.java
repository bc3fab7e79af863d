package io.fibry.bench.cluster;

import io.fibry.bench.cluster.SharedCounters.Count;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

/** A node in a process of its own. It does what the lines of its standard input say, and answers each with a line. */
public final class CounterNode {
    private static final int KEYS = 100;
    private static final int IN_FLIGHT = 64;
    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final Duration SHORT = Duration.ofMillis(500);

    private final String name;
    private final SharedCounters counters;
    private final ConcurrentLinkedQueue<Long> answered = new ConcurrentLinkedQueue<>();
    private final AtomicLong failed = new AtomicLong();
    private volatile boolean isOver;
    private CompletableFuture<Void> load = CompletableFuture.completedFuture(null);

    private CounterNode(String name, SharedCounters counters) {
        this.name = name;
        this.counters = counters;
    }

    /** Waits until each key has answered an ask that begins now or later; returns the nodes that they are on. */
    private List<String> serve() throws InterruptedException {
        var homes = new ArrayList<CompletableFuture<Count>>();
        for (int i = 0; i < KEYS; i++) {
            int key = i;
            homes.add(CompletableFuture.supplyAsync(() -> {
                while (true) {
                    try {
                        return counters.add(key, 0, SHORT).toCompletableFuture().get();
                    } catch (ExecutionException again) {
                        LockSupport.parkNanos(10_000_000);
                    } catch (InterruptedException end) {
                        throw new IllegalStateException(end);
                    }
                }
            }, task -> Thread.ofVirtual().start(task)));
        }
        return homes.stream().map(each -> each.join().node()).toList();
    }

    private int[] keys(Predicate<String> where) throws InterruptedException {
        var homes = serve();
        var found = new ArrayList<Integer>();
        for (int i = 0; i < KEYS; i++) {
            if (where.test(homes.get(i))) {
                found.add(i);
            }
        }
        return found.stream().mapToInt(Integer::intValue).toArray();
    }

    /** Asks one after the other from a virtual thread, as one that handles a request; returns the median in microseconds of the second half. */
    private String latency(int[] keys, int asks) throws Exception {
        var task = new FutureTask<>(() -> latencyHere(keys, asks));
        Thread.ofVirtual().start(task);
        return task.get();
    }

    private String latencyHere(int[] keys, int asks) throws Exception {
        var nanos = new long[asks];
        for (int i = 0; i < 2 * asks; i++) {
            var begin = System.nanoTime();
            counters.add(keys[i % keys.length], 1, LIMIT).toCompletableFuture().get();
            if (i >= asks) {
                nanos[i - asks] = System.nanoTime() - begin;
            }
        }
        Arrays.sort(nanos);
        return "" + nanos[asks / 2] / 1000.0;
    }

    /** Asks with so many in flight; returns asks a second of the second half of the time. */
    private String flight(int[] keys, int seconds) throws InterruptedException {
        var room = new Semaphore(IN_FLIGHT);
        var done = new AtomicLong();
        var begin = System.nanoTime();
        var half = begin + TimeUnit.SECONDS.toNanos(seconds) / 2;
        var end = begin + TimeUnit.SECONDS.toNanos(seconds);
        var atHalf = -1L;
        for (int i = 0; System.nanoTime() < end; i++) {
            if (atHalf < 0 && System.nanoTime() > half) {
                atHalf = done.get();
                half = System.nanoTime();
            }
            room.acquire();
            counters.add(keys[i % keys.length], 1, LIMIT).whenComplete((answer, failure) -> {
                if (failure == null) {
                    done.incrementAndGet();
                }
                room.release();
            });
        }
        var rate = (done.get() - atHalf) * 1e9 / (System.nanoTime() - half);
        room.acquire(IN_FLIGHT);
        return "" + rate;
    }

    /** An ask may fail while what was sent before it is dropped. */
    private void awaitAnswer(int key) throws Exception {
        for (int i = 0; i < 10; i++) {
            try {
                counters.add(key, 0, LIMIT).toCompletableFuture().get();
                return;
            } catch (ExecutionException again) {
                System.out.println("asked again: " + again);
            }
        }
        throw new IllegalStateException("the counter " + key + " does not answer");
    }

    /** Sends; returns after how many seconds each counter has answered an ask behind what it was sent, and how many messages were refused. */
    private String flood(int[] keys, int messages) throws Exception {
        var begin = System.nanoTime();
        var refused = 0;
        for (int i = 0; i < messages; i++) {
            if (!counters.addOne(keys[i % keys.length])) {
                refused++;
            }
        }
        for (int key : keys) {
            awaitAnswer(key);
        }
        return (System.nanoTime() - begin) / 1e9 + " " + refused;
    }

    private void load(int perSecond) {
        var begun = 0;
        var begin = System.nanoTime();
        while (!isOver) {
            LockSupport
                    .parkNanos(begin + begun * TimeUnit.SECONDS.toNanos(1) / perSecond - System.nanoTime());
            var start = System.nanoTime();
            counters.add(begun++ % KEYS, 1, LIMIT).whenComplete((answer, failure) -> {
                if (failure == null) {
                    answered.add(System.nanoTime() - start);
                } else {
                    failed.incrementAndGet();
                    answered.add(LIMIT.toNanos());
                }
            });
        }
        while (answered.size() < begun) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    /** Returns how many asks have failed, how many there were, and how long one of a thousand took, in milliseconds. */
    private String end() {
        isOver = true;
        load.join();
        var nanos = answered.stream().mapToLong(Long::longValue).sorted().toArray();
        var text = failed.get() + " " + nanos.length + " " + nanos[nanos.length * 999 / 1000] / 1e6;
        answered.clear();
        failed.set(0);
        return text;
    }

    private String answer(String[] words) throws Exception {
        var number = words.length > 1 ? Integer.parseInt(words[1]) : 0;
        return switch (words[0]) {
            case "serve" -> String.join("", serve().stream().sorted().distinct().toList());
            case "remote" -> latency(keys(node -> !node.equals(name)), number);
            case "local" -> latency(keys(name::equals), number);
            case "flight" -> flight(keys(node -> !node.equals(name)), number);
            case "flood" -> flood(keys(node -> !node.equals(name)), number);
            case "handled" -> "" + counters.handled();
            case "begin" -> {
                isOver = false;
                load = CompletableFuture.runAsync(() -> load(number), task -> Thread.ofVirtual().start(task));
                yield "begun";
            }
            case "end" -> end();
            case "leave" -> {
                counters.leave();
                yield "left";
            }
            default -> throw new IllegalArgumentException(words[0]);
        };
    }

    /**
     * Runs a node.
     *
     * @param args by what: {@code fibry} or {@code pekko}; name, port, all nodes, each as {@code host:port}, and the database of the nodes of Fibry
     * @throws Exception if the node cannot start
     */
    public static void main(String[] args) throws Exception {
        var port = Integer.parseInt(args[2]);
        var node =
                new CounterNode(args[1], args[0].equals("fibry") ? new FibryCounters(args[1], args[4])
                        : new PekkoCounters(args[1], port, args[3]));
        System.out.println("= "
                + ProcessHandle.current().info().totalCpuDuration().map(Duration::toMillis).orElse(0L) + " "
                + ManagementFactory.getClassLoadingMXBean().getTotalLoadedClassCount());
        var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (var line = in.readLine(); line != null; line = in.readLine()) {
            System.out.println("= " + node.answer(line.split(" ")));
        }
        Runtime.getRuntime().halt(0);
    }
}
