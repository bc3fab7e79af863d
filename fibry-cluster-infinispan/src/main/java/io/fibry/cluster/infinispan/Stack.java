package io.fibry.cluster.infinispan;

import io.fibry.cluster.engine.Discovery;
import io.fibry.cluster.engine.NodeSecurity.MutualTls;
import io.fibry.cluster.engine.NodeSettings;
import io.fibry.cluster.engine.NotUnderstood;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.infinispan.manager.DefaultCacheManager;
import org.infinispan.remoting.transport.jgroups.JGroupsChannelConfigurator;
import org.jgroups.Global;
import org.jgroups.JChannel;
import org.jgroups.conf.ProtocolConfiguration;
import org.jgroups.conf.XmlConfigurator;
import org.jgroups.util.SocketFactory;

/**
 * The stack of protocols: Infinispan's own for TCP, with hosts that are known or found by DNS instead of multicast, and shorter times until a silent
 * node is lost and until two parts find each other again.
 */
record Stack(List<ProtocolConfiguration> protocols, String node, NodeSockets sockets,
        Consumer<JChannel> made) implements JGroupsChannelConfigurator {
    private static final String STOCK = "/org/infinispan/configuration/default-jgroups-tcp.xml";

    private static final int OFFSET = 50_000;
    private static final int SECOND_PORTS = 4;
    private static final int FIRST_PORT = 1024;
    private static final int LAST_PORT = 65_535;

    static {
        // JGroups takes objects of Java's serialization from each process that is admitted, and the class path decides what those do. It
        // is asked for the filter when it reads the first one.
        if (System.getProperty(Global.DESERIALIZATION_FILTER) == null) {
            System.setProperty(Global.DESERIALIZATION_FILTER, "!*");
        }
    }

    static Stack of(InfinispanSettings settings, NotUnderstood notUnderstood, Consumer<JChannel> made)
            throws IOException, GeneralSecurityException {
        var all = new ArrayList<ProtocolConfiguration>();
        var sockets = NodeSockets.of(settings.node().security(), notUnderstood);
        for (var each : stock()) {
            each.substituteVariables();
            var values = each.getProperties();
            switch (each.getProtocolName()) {
                case "TCP" -> values.putAll(Map.of("bind_addr", settings.node().host(), "bind_port",
                        "" + settings.node().port(), "port_range", "0", "diag.enabled", "false",
                        "enable_suspect_events", "" + sockets.areSecure(),
                        // One thread for all would stand still, again and again, while it connects to a machine that does not answer. The
                        // bundler for each destination also sends with a single thread by default.
                        "bundler_type", "per-destination", "bundler.use_single_sender_thread", "false"));
                case "MERGE3" -> values.putAll(Map.of("min_interval", "500ms", "max_interval", "2s"));
                // How long the first nodes look for one another, and how long a node waits until it asks again to be admitted.
                case "pbcast.GMS" -> values.put("join_timeout", "1s");
                case "FD_SOCK2" -> values.putAll(Map.of("offset", "" + OFFSET,
                        // It listens on all addresses of the machine unless it is told one.
                        "bind_addr", settings.node().host()));
                case "FD_ALL3" -> values.putAll(Map.of("timeout", "" + settings.detection().toMillis(),
                        "interval", "" + Math.max(1, settings.detection().toMillis() / 8)));
                default -> {}
            }
            if (each.getProtocolName().equals("MPING")) {
                all.add(discovery(settings.node().discovery()));
            } else if (!sockets.areSecure() || !each.getProtocolName().equals("FD_SOCK2")) {
                // FD_SOCK2 has a port without certificates. Where they are wanted, a connection that ends shows that a process has died.
                all.add(each);
            }
        }
        all.add(new ProtocolConfiguration("FORK", Map.of()));
        return new Stack(List.copyOf(all), settings.address(), sockets, made);
    }

    /** Returns the ports of which this node takes the first one that is free, so that others notice when its process has died. None with certificates. */
    static List<Integer> secondPorts(NodeSettings node, int port) {
        if (node.security() instanceof MutualTls) {
            return List.of();
        }
        return IntStream.range(0, SECOND_PORTS).map(i -> (port + OFFSET + i) % (LAST_PORT + 1))
                .map(second -> second < FIRST_PORT ? second + FIRST_PORT : second).boxed().toList();
    }

    private static List<ProtocolConfiguration> stock() throws IOException {
        try (var file = DefaultCacheManager.class.getResourceAsStream(STOCK)) {
            if (file == null) {
                throw new IOException(
                        STOCK + " is not in the jar of Infinispan: use the version that this module names");
            }
            return XmlConfigurator.getInstance(file).getProtocolStack();
        }
    }

    private static ProtocolConfiguration discovery(Discovery discovery) {
        return switch (discovery) {
            case Discovery.Dns dns ->
                new ProtocolConfiguration("dns.DNS_PING", Map.of("dns_query", dns.name()));
            case Discovery.Hosts list -> new ProtocolConfiguration("TCPPING", Map.of("port_range", "0",
                    "initial_hosts", String.join(",", list.hosts().stream()
                            .map(each -> Discovery.Hosts.host(each) + "[" + Discovery.Hosts.port(each) + "]")
                            .toList())));
        };
    }

    @Override
    public JChannel createChannel(String cluster) throws Exception {
        var channel = new JChannel(this).setName(node);
        channel.getProtocolStack().getTransport().setSocketFactory(sockets);
        made.accept(channel);
        return channel;
    }

    @Override
    public String getName() {
        return "fibry";
    }

    @Override
    public void setSocketFactory(SocketFactory factory) {
        throw new UnsupportedOperationException("the transport makes its sockets itself");
    }

    @Override
    public void setDataSource(DataSource source) {
        throw new UnsupportedOperationException("no database is needed");
    }

    @Override
    public String getProtocolStackString() {
        return "";
    }

    @Override
    public List<ProtocolConfiguration> getProtocolStack() {
        return protocols;
    }
}
