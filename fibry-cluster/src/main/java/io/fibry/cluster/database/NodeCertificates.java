package io.fibry.cluster.database;

import io.fibry.cluster.database.NodeSecurity.MutualTls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Collections;
import java.util.Optional;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

/** The certificate that a node shows, and those that it trusts. Immutable. */
final class NodeCertificates {
    /** The only version of TLS that nodes speak. */
    static final String PROTOCOL = "TLSv1.3";

    private final SSLContext context;
    private final Certificate own;

    private NodeCertificates(Key key, Certificate[] chain, Optional<X509TrustManager> authority)
            throws IOException, GeneralSecurityException {
        var password = new char[0];
        var store = KeyStore.getInstance("PKCS12");
        store.load(null, password);
        store.setKeyEntry("node", key, password, chain);
        var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, password);
        context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), new TrustManager[]{new Trust(authority)}, null);
        own = chain[0];
    }

    /** Shows a certificate, and trusts every one: whoever makes a connection compares the one that the other side has shown. */
    static NodeCertificates pinned(PrivateKey key, X509Certificate certificate)
            throws IOException, GeneralSecurityException {
        return new NodeCertificates(key, new Certificate[]{certificate}, Optional.empty());
    }

    /** Reads files. */
    static NodeCertificates of(MutualTls files) throws IOException, GeneralSecurityException {
        var password = files.password().toCharArray();
        var keys = store(files.keys(), password);
        var authority = authority(store(files.trusted(), password));
        for (var alias : Collections.list(keys.aliases())) {
            if (keys.isKeyEntry(alias)) {
                return new NodeCertificates(keys.getKey(alias, password), keys.getCertificateChain(alias),
                        Optional.of(authority));
            }
        }
        throw new IOException("there is no key in " + files.keys().toAbsolutePath()
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

    /** Returns what makes sockets. */
    SSLContext context() {
        return context;
    }

    /** Returns the certificate that this node shows. */
    Certificate own() {
        return own;
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
