package io.fibry.cluster.infinispan;

import io.fibry.cluster.engine.NodeCertificates;
import io.fibry.cluster.engine.NodeSecurity;
import io.fibry.cluster.engine.NodeSecurity.MutualTls;
import io.fibry.cluster.engine.NotUnderstood;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.jgroups.util.DefaultSocketFactory;

/** The sockets between nodes: TLS 1.3 with certificates on both sides, or plain ones. Thread-safe. */
final class NodeSockets extends DefaultSocketFactory {
    private final Optional<SSLContext> certificates;

    private final NotUnderstood notUnderstood;

    private NodeSockets(Optional<SSLContext> certificates, NotUnderstood notUnderstood) {
        this.certificates = certificates;
        this.notUnderstood = notUnderstood;
    }

    static NodeSockets of(NodeSecurity security, NotUnderstood notUnderstood)
            throws IOException, GeneralSecurityException {
        return new NodeSockets(
                security instanceof MutualTls files ? Optional.of(NodeCertificates.of(files).context())
                        : Optional.empty(),
                notUnderstood);
    }

    boolean areSecure() {
        return certificates.isPresent();
    }

    @Override
    public Socket createSocket(String service) throws IOException {
        if (certificates.isEmpty()) {
            return new Socket();
        }
        var socket = (SSLSocket) certificates.orElseThrow().getSocketFactory().createSocket();
        socket.setEnabledProtocols(new String[]{NodeCertificates.PROTOCOL});
        return socket;
    }

    @Override
    public ServerSocket createServerSocket(String service) throws IOException {
        return new AdmittingServerSocket(
                certificates.<NodeAdmission>map(NodeAdmission.ByCertificate::new)
                        .orElseGet(NodeAdmission.ByGreeting::new),
                notUnderstood);
    }
}
