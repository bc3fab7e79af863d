package io.fibry.cluster.database;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Collections;
import java.util.HexFormat;
import java.util.Optional;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

/**
 * TLS 1.3 between nodes. Both sides show a certificate, and each compares its digest with the one in the row of the other
 * node: who can write that row is in the cluster anyway. With files of certificates their authority is asked as well.
 */
final class NodeTls {
    /** The first byte of each connection of TLS: a record of a handshake. */
    static final int FIRST_BYTE = 0x16;

    private static final String[] PROTOCOLS = {"TLSv1.3"};

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

    private NodeTls(Key key, Certificate[] chain, Optional<X509TrustManager> authority)
            throws IOException, GeneralSecurityException {
        var password = new char[0];
        var store = KeyStore.getInstance("PKCS12");
        store.load(null, password);
        store.setKeyEntry("node", key, password, chain);
        var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, password);
        context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), new TrustManager[]{new Trust(authority)}, null);
        digest = digest(chain[0]);
    }

    /** Makes a key and a certificate for this process. */
    static NodeTls ofThisProcess() throws IOException, GeneralSecurityException {
        var own = SelfSigned.make("fibry-node");
        return new NodeTls(own.key(), new Certificate[]{own.certificate()}, Optional.empty());
    }

    /**
     * Reads a key and certificates from files of type PKCS12.
     *
     * @param file has the key of this node and its certificate
     * @param trusted has the certificates of the nodes, or of an authority that signs no other ones
     * @param text password of both
     */
    static NodeTls of(Path file, Path trusted, String text) throws IOException, GeneralSecurityException {
        var password = text.toCharArray();
        var keys = store(file, password);
        var authority = authority(store(trusted, password));
        for (var alias : Collections.list(keys.aliases())) {
            if (keys.isKeyEntry(alias)) {
                return new NodeTls(keys.getKey(alias, password), keys.getCertificateChain(alias),
                        Optional.of(authority));
            }
        }
        throw new IOException("there is no key in " + file.toAbsolutePath()
                + ": give a file of type PKCS12 with the key of this node and its certificate");
    }

    private static KeyStore store(Path file, char[] password) throws IOException, GeneralSecurityException {
        var store = KeyStore.getInstance("PKCS12");
        try (var in = Files.newInputStream(file)) {
            store.load(in, password);
        } catch (IOException wrong) {
            throw new IOException("the certificates in " + file.toAbsolutePath() + " cannot be read ("
                    + wrong.getMessage() + "): give a file of type PKCS12 and its password", wrong);
        }
        if (store.size() == 0) {
            throw new IOException("there are no certificates in " + file.toAbsolutePath()
                    + ": give a file of type PKCS12 that has some");
        }
        return store;
    }

    private static X509TrustManager authority(KeyStore trusted) throws GeneralSecurityException {
        var factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(trusted);
        for (var each : factory.getTrustManagers()) {
            if (each instanceof X509TrustManager manager) {
                return manager;
            }
        }
        throw new GeneralSecurityException("the JDK has nothing that checks certificates of type X.509");
    }

    private static String digest(Certificate certificate) throws GeneralSecurityException {
        return HexFormat.of().formatHex(
                MessageDigest.getInstance("SHA-256").digest(certificate.getEncoded()));
    }

    /** Returns the digest of the certificate of this node. */
    String digest() {
        return digest;
    }

    /** Begins to talk on a connection of this node, and sends nothing before the other side has shown its certificate. */
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

    /** Asks the authority, if there is one, and names the certificate that it does not trust. */
    private record Trust(Optional<X509TrustManager> authority) implements X509TrustManager {
        private interface Check {
            void by(X509TrustManager authority) throws CertificateException;
        }

        private void check(X509Certificate[] chain, Check check) throws CertificateException {
            try {
                if (authority.isPresent()) {
                    check.by(authority.orElseThrow());
                }
            } catch (CertificateException wrong) {
                throw new CertificateException(
                        "the certificate of " + chain[0].getSubjectX500Principal().getName()
                                + " is not trusted (" + wrong.getMessage() + ")",
                        wrong);
            }
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
            check(chain, by -> by.checkClientTrusted(chain, type));
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
            check(chain, by -> by.checkServerTrusted(chain, type));
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            // If some were named, a process that has no certificate of them would show none, and could not be named in the log.
            return new X509Certificate[0];
        }
    }
}
