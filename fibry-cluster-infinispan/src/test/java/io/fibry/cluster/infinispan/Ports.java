package io.fibry.cluster.infinispan;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;

/** Ports of this machine that were free a moment ago. */
final class Ports {
    private Ports() {
    }

    static List<Integer> free(int count) throws IOException {
        var open = new ArrayList<ServerSocket>();
        try {
            while (open.size() < count) {
                open.add(new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1")));
            }
            return open.stream().map(ServerSocket::getLocalPort).toList();
        } finally {
            for (var each : open) {
                each.close();
            }
        }
    }
}
