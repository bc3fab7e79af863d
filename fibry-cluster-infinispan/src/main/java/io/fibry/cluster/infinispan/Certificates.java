package io.fibry.cluster.infinispan;

import io.fibry.cluster.engine.NodeSecurity.MutualTls;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/** The key of this node, and those whom it trusts. Names the certificate that it does not trust. Immutable. */
final class Certificates extends X509ExtendedTrustManager {
    /** The only version of TLS that nodes speak. */
    static final String[] PROTOCOLS = {"TLSv1.3"};

    private final X509ExtendedTrustManager trusted;

    private Certificates(X509ExtendedTrustManager trusted) {
        this.trusted = trusted;
    }

    static SSLContext context(MutualTls files) throws IOException, GeneralSecurityException {
        var password = files.password().toCharArray();
        var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store(files.keys(), password), password);
        var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store(files.trusted(), password));
        for (var each : trust.getTrustManagers()) {
            if (each instanceof X509ExtendedTrustManager manager) {
                var context = SSLContext.getInstance("TLS");
                context.init(keys.getKeyManagers(), new TrustManager[]{new Certificates(manager)}, null);
                return context;
            }
        }
        throw new GeneralSecurityException("the JDK has nothing that checks certificates of type X.509");
    }

    private static KeyStore store(Path file, char[] password) throws IOException, GeneralSecurityException {
        var store = KeyStore.getInstance("PKCS12");
        try (var in = Files.newInputStream(file)) {
            store.load(in, password);
        } catch (IOException wrong) {
            throw new IOException(
                    "the certificates in " + file.toAbsolutePath() + " cannot be read (" + wrong.getMessage()
                            + "): give a file of type PKCS12 and its password",
                    wrong);
        }
        if (store.size() == 0) {
            throw new IOException("there are no certificates in " + file.toAbsolutePath()
                    + ": give a file of type PKCS12 that has some");
        }
        return store;
    }

    private interface Check {
        void run() throws CertificateException;
    }

    private static void check(X509Certificate[] chain, Check check) throws CertificateException {
        try {
            check.run();
        } catch (CertificateException wrong) {
            throw new CertificateException(
                    "the certificate of " + chain[0].getSubjectX500Principal().getName()
                            + " is not trusted (" + wrong.getMessage() + ")",
                    wrong);
        }
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
            throws CertificateException {
        check(chain, () -> trusted.checkClientTrusted(chain, type, socket));
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
            throws CertificateException {
        check(chain, () -> trusted.checkServerTrusted(chain, type, socket));
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
            throws CertificateException {
        check(chain, () -> trusted.checkClientTrusted(chain, type, engine));
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
            throws CertificateException {
        check(chain, () -> trusted.checkServerTrusted(chain, type, engine));
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
        check(chain, () -> trusted.checkClientTrusted(chain, type));
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
        check(chain, () -> trusted.checkServerTrusted(chain, type));
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        // If some were named, a process that has no certificate of them would show none, and could not be named in the log.
        return new X509Certificate[0];
    }
}
