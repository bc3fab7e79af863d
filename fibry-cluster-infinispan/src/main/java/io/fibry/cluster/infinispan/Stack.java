package io.fibry.cluster.infinispan;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.infinispan.manager.DefaultCacheManager;
import org.infinispan.remoting.transport.jgroups.JGroupsChannelConfigurator;
import org.jgroups.JChannel;
import org.jgroups.conf.ProtocolConfiguration;
import org.jgroups.conf.XmlConfigurator;
import org.jgroups.util.SocketFactory;

/**
 * The stack of protocols: Infinispan's own for TCP, with a list of hosts instead of multicast, and shorter times until a silent
 * node is lost and until two parts find each other again.
 */
record Stack(List<ProtocolConfiguration> protocols, String node,
        Consumer<JChannel> made) implements JGroupsChannelConfigurator {
    private static final String STOCK = "/org/infinispan/configuration/default-jgroups-tcp.xml";

    static Stack of(InfinispanSettings settings, Consumer<JChannel> made) throws IOException {
        var all = new ArrayList<ProtocolConfiguration>();
        for (var each : stock()) {
            each.substituteVariables();
            var values = each.getProperties();
            switch (each.getProtocolName()) {
                case "TCP" -> values.putAll(transport(settings));
                case "MERGE3" -> values.putAll(Map.of("min_interval", "500ms", "max_interval", "2s"));
                // How long the first nodes look for one another, and how long a node waits until it asks again to be admitted.
                case "pbcast.GMS" -> values.put("join_timeout", "1s");
                case "FD_SOCK2" -> values.put("offset", "50000");
                case "FD_ALL3" -> values.putAll(Map.of("timeout", "" + settings.detection().toMillis(),
                        "interval", "" + Math.max(1, settings.detection().toMillis() / 8)));
                default -> {}
            }
            all.add(each.getProtocolName().equals("MPING")
                    ? new ProtocolConfiguration("TCPPING",
                            Map.of("initial_hosts", hosts(settings), "port_range", "0"))
                    : each);
        }
        all.add(new ProtocolConfiguration("FORK", Map.of()));
        return new Stack(List.copyOf(all), settings.host() + ":" + settings.port(), made);
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

    private static Map<String, String> transport(InfinispanSettings settings) {
        var values = new HashMap<>(Map.of("bind_addr", settings.host(), "bind_port", "" + settings.port(),
                "port_range", "0", "diag.enabled", "false"));
        settings.certificates().ifPresent(keys -> values.putAll(Map.of("tls.enabled", "true",
                "tls.protocols", "TLSv1.3", "tls.client_auth", "NEED",
                "tls.keystore_path", keys.keys().toString(), "tls.keystore_password", keys.password(),
                "tls.truststore_path", keys.trusted().toString(), "tls.truststore_password",
                keys.password())));
        return values;
    }

    private static String hosts(InfinispanSettings settings) {
        return String.join(",",
                settings.hosts().stream().map(each -> each.replaceFirst(":(\\d+)$", "[$1]")).toList());
    }

    @Override
    public JChannel createChannel(String cluster) throws Exception {
        var channel = new JChannel(this).setName(node);
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
