package io.fibry.cluster.infinispan;

import io.fibry.cluster.trial.SharedNodes;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports of this machine that were free a moment ago. Systems choose other ports for sockets that ask for any. The same holds for the second port
 * of a node. So no other process gets the ports of a node while the node is dead.
 */
final class Ports {
    private static final int FIRST = 20_000;
    private static final int LAST = 32_000;

    private Ports() {
    }

    /** Processes of this machine that were given nothing but a list of all of them. */
    static SharedNodes nodes(Path folder, int size) throws IOException {
        return nodes(folder, size, Map.of());
    }

    static SharedNodes nodes(Path folder, int size, Map<String, String> more) throws IOException {
        var settings = new HashMap<>(more);
        settings.put("FIBRY_CLUSTER",
                String.join(",", free(size).stream().map(each -> "127.0.0.1:" + each).toList()));
        return new SharedNodes(folder, settings);
    }

    static List<Integer> free(int count) throws IOException {
        var open = new ArrayList<ServerSocket>();
        try {
            while (open.size() < count) {
                var port = ThreadLocalRandom.current().nextInt(FIRST, LAST);
                try {
                    open.add(new ServerSocket(port, 1, InetAddress.getByName("127.0.0.1")));
                } catch (BindException taken) {
                    // Another one will do.
                }
            }
            return open.stream().map(ServerSocket::getLocalPort).toList();
        } finally {
            for (var each : open) {
                each.close();
            }
        }
    }
}
