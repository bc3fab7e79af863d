package io.fibry.cluster.infinispan;

import io.fibry.cluster.engine.Discovery;
import io.fibry.cluster.engine.NotUnderstood;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.net.ssl.SSLException;

/** Finds out why a node has not met others: knocks at each of them. */
record Diagnosis(InfinispanSettings settings, NodeSockets sockets) {
    private static final int KNOCK_MILLIS = 1000;

    static Diagnosis of(InfinispanSettings settings) throws IOException, GeneralSecurityException {
        return new Diagnosis(settings, NodeSockets.of(settings.node().security(), new NotUnderstood()));
    }

    /** What is known about each of the others, in words. */
    String text() {
        var said = new ArrayList<String>();
        switch (settings.node().discovery()) {
            case Discovery.Hosts list -> {
                for (var each : list.hosts()) {
                    var host = Discovery.Hosts.host(each);
                    var port = Discovery.Hosts.port(each);
                    if (!(host.equals(settings.node().host()) && port == settings.node().port())) {
                        said.add(each + " " + state(host, port));
                    }
                }
            }
            case Discovery.Dns dns -> {
                var addresses = List.<InetAddress>of();
                try {
                    addresses = Arrays.asList(InetAddress.getAllByName(dns.name()));
                } catch (UnknownHostException unknown) {
                    said.add("DNS has no address for " + dns.name()
                            + " (a service of Kubernetes needs clusterIP: None and publishNotReadyAddresses: true)");
                }
                for (var each : addresses) {
                    if (!each.getHostAddress().equals(settings.node().host())) {
                        said.add(each.getHostAddress() + " "
                                + state(each.getHostAddress(), settings.node().port()));
                    }
                }
            }
        }
        return said.isEmpty() ? "no others are known" : String.join("; ", said);
    }

    private String state(String host, int port) {
        try (var socket = sockets.createSocket("knock")) {
            socket.connect(new InetSocketAddress(InetAddress.getByName(host), port), KNOCK_MILLIS);
            return sockets.areSecure() ? greeting(socket) : "listens";
        } catch (SocketTimeoutException silent) {
            return "cannot be reached";
        } catch (UnknownHostException unknown) {
            return "is not known in DNS";
        } catch (ConnectException refused) {
            return "does not run: nothing listens there";
        } catch (IOException other) {
            return "cannot be reached (" + other.getMessage() + ")";
        }
    }

    /** What is known after a handshake. By TLS 1.3 what the other side thinks of this one comes after that. */
    private static String greeting(Socket socket) throws SocketException {
        socket.setSoTimeout(KNOCK_MILLIS);
        try {
            return socket.getInputStream().read() < 0 ? "has closed the connection" : "listens";
        } catch (SocketTimeoutException silent) {
            return "listens";
        } catch (SSLException refused) {
            return "and this node do not accept each other's certificates (" + refused.getMessage() + ")";
        } catch (IOException closed) { // the reason was on its way when the other side had closed the connection
            return "and this node do not accept each other's certificates, or it is about to end ("
                    + closed.getMessage()
                    + ")";
        }
    }
}
