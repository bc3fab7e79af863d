package io.fibry.cluster.infinispan;

import io.fibry.cluster.engine.ClusterEngine;
import io.fibry.cluster.engine.ClusterEngine.NodeInfo;
import io.fibry.cluster.engine.ClusterEngine.Outcome;
import io.fibry.cluster.engine.EngineListener;
import io.fibry.cluster.engine.NotServedException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jgroups.Address;
import org.jgroups.protocols.DISCARD;
import org.jgroups.protocols.TP;
import org.jgroups.stack.ProtocolStack;

/**
 * A node in a process of its own. It obeys lines on its standard input, answers each with one that begins with {@code "= "}, and
 * writes each change that it tries into a file: before it begins, and when it has ended. Lines of a killed process are kept, since
 * they are given to the operating system one by one.
 */
final class HammerNode implements EngineListener {
    static final String TABLE = "trial";

    private final String name;
    private final InfinispanEngine engine;
    private final FileChannel log;
    private final AtomicLong number = new AtomicLong();
    private final Map<String, Address> seen = new ConcurrentHashMap<>();
    private final DISCARD discard = new DISCARD();
    private final LinkedBlockingQueue<ByteBuffer> pongs = new LinkedBlockingQueue<>();
    private final List<Thread> hammers = new ArrayList<>();
    private volatile boolean isHammering;
    private volatile long lefts;
    private volatile long losts;
    private volatile Set<UUID> last = Set.of();

    private HammerNode(String name, InfinispanSettings settings, Path log) throws IOException {
        this.name = name;
        this.log = FileChannel.open(log, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        engine = new InfinispanEngine(settings);
    }

    /** Arguments: name, host, port, hosts, milliseconds of detection, file for the changes. */
    public static void main(String[] args) throws Exception {
        var begin = System.nanoTime();
        var plain = InfinispanSettings.of("trial", args[1], Integer.parseInt(args[2]),
                List.of(args[3].split(",")));
        var detection = Duration.ofMillis(Long.parseLong(args[4]));
        // In namespaces the nodes have addresses of their own.
        var node = new HammerNode(args[0], new InfinispanSettings(plain.trustedNetwork().node(), detection,
                Duration.ofSeconds(5), plain.joinLimit()), Path.of(args[5]));
        node.engine.start(new NodeInfo(UUID.randomUUID(), args[0].getBytes(StandardCharsets.UTF_8)), node);
        node.engine.channel().getProtocolStack().insertProtocol(node.discard, ProtocolStack.Position.ABOVE,
                TP.class);
        System.out.println("READY " + (System.nanoTime() - begin) / 1_000_000);
        var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (var line = in.readLine(); line != null; line = in.readLine()) {
            String answer;
            try {
                answer = node.obey(line.split(" "));
            } catch (Exception failed) {
                failed.printStackTrace();
                answer = "failed " + failed;
            }
            System.out.println("= " + answer.replace('\n', ' '));
        }
        Runtime.getRuntime().halt(0);
    }

    private String obey(String[] words) throws Exception {
        engine.channel().getView().getMembers()
                .forEach(each -> seen.put(each.toString().replaceFirst("\\(.*", ""), each));
        return switch (words[0]) {
            case "hammer" -> {
                isHammering = true;
                for (var i = 0; i < Integer.parseInt(words[2]); i++) {
                    var keys = Integer.parseInt(words[1]);
                    hammers.add(Thread.ofVirtual().start(() -> hammer(keys)));
                }
                yield "hammers";
            }
            case "rest" -> {
                isHammering = false;
                for (var each : hammers) {
                    each.join();
                }
                hammers.clear();
                yield "rests";
            }
            case "cut" -> {
                Arrays.stream(words).skip(1).forEach(
                        each -> discard.addIgnoreMember(Objects.requireNonNull(seen.get(each), each)));
                yield "cut";
            }
            case "heal" -> {
                discard.resetIgnoredMembers();
                yield "healed";
            }
            case "status" ->
                engine.view().members().size() + " " + engine.view().majority() + " " + engine.synced()
                        + " lost " + losts + " left " + lefts + " " + engine.channel().getView();
            case "state" -> engine.state();
            case "dump" -> {
                var all = new ArrayList<String>();
                for (var each : engine.all(TABLE).entrySet()) {
                    all.add(each.getKey() + "=" + text(each.getValue()));
                }
                yield String.join(",", all);
            }
            case "leave" -> "" + engine.leave(Duration.ofSeconds(Long.parseLong(words[1])));
            case "ping" -> ping(Integer.parseInt(words[1]));
            default -> throw new IllegalArgumentException(words[0]);
        };
    }

    /** Changes one entry after another, each by what it is now. */
    private void hammer(int keys) {
        var random = new SplittableRandom();
        while (isHammering) {
            var key = "k" + random.nextInt(keys);
            try {
                var now = engine.get(TABLE, key);
                var count = now == null ? 0 : Long.parseLong(text(now).substring(0, text(now).indexOf('/')));
                var next = count + 1 + "/" + name + "-" + number.incrementAndGet();
                write("B " + key + " " + (now == null ? "-" : text(now)) + " " + next + " "
                        + System.nanoTime());
                String outcome;
                try {
                    outcome = engine.compareAndSet(TABLE, key, now, next.getBytes(StandardCharsets.UTF_8))
                            .toString();
                } catch (NotServedException minority) {
                    outcome = "REFUSED";
                }
                write("E " + next + " " + outcome + " " + System.nanoTime());
                if (!outcome.equals(Outcome.DONE.toString())) {
                    rest(random, 20_000_000);
                }
            } catch (NotServedException minority) {
                rest(random, 50_000_000);
            } catch (IOException failed) {
                throw new IllegalStateException(failed);
            }
            rest(random, 20_000_000);
        }
    }

    /** How often changes come; nothing depends on it. */
    private static void rest(SplittableRandom random, long most) {
        try {
            TimeUnit.NANOSECONDS.sleep(random.nextLong(most));
        } catch (InterruptedException never) {
            throw new IllegalStateException(never);
        }
    }

    private void write(String line) throws IOException {
        log.write(ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.UTF_8)));
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private String ping(int times) throws InterruptedException {
        var other = engine.view().members().stream().filter(each -> !text(each.description()).equals(name))
                .findFirst()
                .orElseThrow().incarnation();
        var nanos = new long[times];
        for (var i = 0; i < times; i++) {
            var begin = System.nanoTime();
            engine.send(other, ByteBuffer.allocate(64));
            pongs.take();
            nanos[i] = System.nanoTime() - begin;
        }
        Arrays.sort(nanos);
        return "p50 " + nanos[times / 2] / 1000 + " us p99 " + nanos[times * 99 / 100] / 1000 + " us";
    }

    @Override
    public void viewChanged(ClusterEngine.View view, Set<UUID> left) {
        var now = new java.util.HashSet<UUID>();
        view.members().forEach(each -> now.add(each.incarnation()));
        lefts += left.size();
        losts += last.stream().filter(each -> !now.contains(each) && !left.contains(each)).count();
        last = Set.copyOf(now);
    }

    @Override
    public void received(UUID from, ByteBuffer bytes) {
        if (bytes.get(0) == 1) {
            pongs.add(bytes);
        } else {
            var answer = ByteBuffer.allocate(bytes.remaining());
            answer.put(0, (byte) 1);
            try {
                engine.send(from, answer);
            } catch (InterruptedException end) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public void entryChanged(String table, String key, byte[] value) {
    }
}
