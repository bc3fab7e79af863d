package io.fibry.cluster.database;

import io.fibry.cluster.database.NodeSecurity.MutualTls;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.Certificate;
import java.util.HexFormat;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/**
 * TLS 1.3 between nodes. Both sides show a certificate, and each compares its digest with the one in the row of the other node: who can
 * write that row is in the cluster anyway. With files of certificates their authority is asked as well.
 */
final class NodeTls {
    /** The first byte of each connection of TLS: a record of a handshake. */
    static final int FIRST_BYTE = 0x16;

    private static final String[] PROTOCOLS = {NodeCertificates.PROTOCOL};

    private final SSLContext context;
    private final String digest;

    /** The other side has shown a certificate that is not that of its row. */
    static final class WrongCertificateException extends IOException {
        private static final long serialVersionUID = 1;

        WrongCertificateException(String shown, String expected) {
            super("it has shown the certificate sha256=" + shown
                    + ", and the row of the node in the database has "
                    + (expected.isEmpty() ? "none" : "sha256=" + expected));
        }
    }

    private NodeTls(NodeCertificates certificates) throws GeneralSecurityException {
        context = certificates.context();
        digest = digest(certificates.own());
    }

    /** Makes a key and a certificate for this process. */
    static NodeTls ofThisProcess() throws IOException, GeneralSecurityException {
        var own = SelfSigned.make("fibry-node");
        return new NodeTls(NodeCertificates.pinned(own.key(), own.certificate()));
    }

    /** Reads a key and certificates from files. */
    static NodeTls of(MutualTls files) throws IOException, GeneralSecurityException {
        return new NodeTls(NodeCertificates.of(files));
    }

    private static String digest(Certificate certificate) throws GeneralSecurityException {
        return HexFormat.of().formatHex(
                MessageDigest.getInstance("SHA-256").digest(certificate.getEncoded()));
    }

    /** Returns the digest of the certificate of this node. */
    String digest() {
        return digest;
    }

    /** Begins to talk on a connection of this node, which sends nothing before the other side has shown the certificate of its row. */
    SSLSocket connect(Socket socket, NodeAddress address) throws IOException {
        var secure = (SSLSocket) context.getSocketFactory().createSocket(socket, address.host(),
                address.port(), true);
        secure.setEnabledProtocols(PROTOCOLS);
        secure.startHandshake();
        requireShown(secure, address.certificate());
        return secure;
    }

    /** Begins to talk on a connection that another one has opened, and of which the first byte was read. */
    SSLSocket accept(Socket socket) throws IOException {
        var secure = (SSLSocket) context.getSocketFactory().createSocket(socket,
                new ByteArrayInputStream(new byte[]{FIRST_BYTE}), true);
        secure.setEnabledProtocols(PROTOCOLS);
        secure.setNeedClientAuth(true);
        secure.startHandshake();
        return secure;
    }

    /** Throws an exception if the other side has shown another certificate. */
    static void requireShown(SSLSocket socket, String expected) throws IOException {
        try {
            var shown = digest(socket.getSession().getPeerCertificates()[0]);
            if (!shown.equals(expected)) {
                throw new WrongCertificateException(shown, expected);
            }
        } catch (GeneralSecurityException broken) {
            throw new IOException("a certificate cannot be read", broken);
        }
    }
}
