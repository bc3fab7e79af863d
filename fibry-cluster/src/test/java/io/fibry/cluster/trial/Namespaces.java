package io.fibry.cluster.trial;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Network namespaces, one for each node, on one bridge, which is the way to the database. They need root. */
public final class Namespaces {
    private static final String NAME = "fibryns";
    private static final int MOST = 8;

    private Namespaces() {
    }

    public static String host(int index) {
        return "10.98.7." + (index + 1);
    }

    /** The address of this process on the bridge. */
    public static String ownHost() {
        return "10.98.7.254";
    }

    public static List<String> prefix(int index) {
        return List.of("ip", "netns", "exec", NAME + index);
    }

    public static void open(int size) throws IOException {
        removeLeftovers();
        run("ip link add " + NAME + " type bridge");
        run("ip addr add " + ownHost() + "/24 dev " + NAME);
        run("ip link set " + NAME + " up");
        for (var i = 0; i < size; i++) {
            run("ip netns add " + NAME + i);
            run("ip link add " + link(i) + " type veth peer name eth0 netns " + NAME + i);
            run("ip link set " + link(i) + " master " + NAME + " up");
            run("ip netns exec " + NAME + i + " ip addr add " + host(i) + "/24 dev eth0");
            run("ip netns exec " + NAME + i + " ip link set eth0 up");
            run("ip netns exec " + NAME + i + " ip link set lo up");
        }
    }

    private static String link(int index) {
        return NAME + "v" + index;
    }

    public static void cut(int index) throws IOException {
        run("ip link set " + link(index) + " down");
    }

    public static void heal(int index) throws IOException {
        run("ip link set " + link(index) + " up");
    }

    /** The two do not hear each other, and both reach the database. */
    static void part(int index, int other) throws IOException {
        run("ip netns exec " + NAME + index + " ip route add blackhole " + host(other) + "/32");
    }

    static void join(int index, int other) throws IOException {
        run("ip netns exec " + NAME + index + " ip route del blackhole " + host(other) + "/32");
    }

    /** It hears the others, who do not hear it: all that it sends is larger than the queue to its network. */
    static void mute(int index) throws IOException {
        queue(index, "bfifo limit 1");
    }

    static void unmute(int index) throws IOException {
        queue(index, "pfifo limit 1000");
    }

    private static void queue(int index, String kind) throws IOException {
        run("ip netns exec " + NAME + index + " tc qdisc replace dev eth0 root " + kind);
    }

    /**
     * Of the packets that come, it loses some: a program of the kernel drops those whose random number of 32 bits is less than a
     * limit.
     */
    static void lose(int index, int percent) throws IOException {
        var tc = "ip netns exec " + NAME + index + " tc ";
        run(tc + "qdisc add dev eth0 clsact");
        var command = new ArrayList<>(
                List.of((tc + "filter add dev eth0 ingress bpf direct-action bytecode").split(" ")));
        // Load a random number; if it reaches the limit, return 0 (the packet goes on), or else 2 (it is dropped).
        command.add("4,32 0 0 4294963256,53 0 1 %d,6 0 0 0,6 0 0 2".formatted((1L << 32) * percent / 100));
        run(command);
    }

    public static boolean canBeMade() throws IOException {
        return Path.of("/proc/self").toFile().exists()
                && (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid") == 0
                && Files.isExecutable(Path.of("/usr/sbin/ip"));
    }

    /** Returns whether packets can be kept back and lost. */
    static boolean canControlTraffic() {
        return Files.isExecutable(Path.of("/usr/sbin/tc"));
    }

    public static void close(int size) throws IOException {
        for (var i = 0; i < size; i++) {
            run("ip link del " + link(i)); // the end of a namespace takes its links away later
            run("ip netns del " + NAME + i);
        }
        run("ip link del " + NAME);
    }

    /** Those of a test whose process was killed. */
    private static void removeLeftovers() throws IOException {
        for (var i = 0; i < MOST; i++) {
            if (Files.exists(Path.of("/sys/class/net", link(i)))) {
                run("ip link del " + link(i));
            }
            if (Files.exists(Path.of("/run/netns", NAME + i))) {
                run("ip netns del " + NAME + i);
            }
        }
        if (Files.exists(Path.of("/sys/class/net", NAME))) {
            run("ip link del " + NAME);
        }
    }

    private static void run(String command) throws IOException {
        run(List.of(command.split(" ")));
    }

    private static void run(List<String> command) throws IOException {
        if (new ProcessBuilder(command).inheritIO().start().onExit().join().exitValue() != 0) {
            throw new IOException("failed: " + command);
        }
    }
}
