package io.fibry.cluster.engine;

import java.util.HashSet;
import java.util.List;

/** How a node finds the others. */
public sealed interface Discovery {
    /**
     * All nodes are known beforehand.
     *
     * @param hosts all nodes, this one included, each as {@code host:port}
     */
    record Hosts(List<String> hosts) implements Discovery {
        /** Checks the values. */
        public Hosts {
            hosts = List.copyOf(hosts);
            if (hosts.isEmpty()) {
                throw new IllegalArgumentException(
                        "the list of hosts is empty: name all nodes, each as host:port");
            }
            var seen = new HashSet<String>();
            for (var each : hosts) {
                if (!each.matches("[^\\s,]+:\\d{1,5}") || port(each) < 1 || port(each) > 65535) {
                    throw new IllegalArgumentException("\"" + each
                            + "\" in the list of hosts is no address: write host:port, with a port from 1 to 65535");
                }
                if (!seen.add(each.replaceFirst("^localhost:", "127.0.0.1:"))) {
                    throw new IllegalArgumentException("\"" + each
                            + "\" is in the list of hosts twice: name each node once, since more than half of the list must meet");
                }
            }
        }

        /**
         * Returns the host of an entry.
         *
         * @param entry an entry of the list
         * @return the part in front of the port
         */
        public static String host(String entry) {
            var host = entry.substring(0, entry.lastIndexOf(':'));
            return host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
        }

        /**
         * Returns the port of an entry.
         *
         * @param entry an entry of the list
         * @return its port
         */
        public static int port(String entry) {
            return Integer.parseInt(entry.substring(entry.lastIndexOf(':') + 1));
        }
    }

    /**
     * A name stands for the addresses of all nodes that run, as that of a headless service of Kubernetes does. All nodes listen on the same
     * port.
     *
     * @param name the name
     */
    record Dns(String name) implements Discovery {
        /** Checks the values. */
        public Dns {
            if (name.isBlank() || !name.matches("[^\\s:,/]+")) {
                throw new IllegalArgumentException("\"" + name
                        + "\" is no name in DNS: give the name of a service, without a port, as bank.default.svc.cluster.local");
            }
        }
    }
}
