package io.fibry.net;

import java.security.KeyStore;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A key for localhost that both sides know; made by keytool for these tests alone. */
public final class LocalTls {
    private static final char[] PASSWORD = "changeit".toCharArray();

    private LocalTls() {
    }

    public static SSLContext context() throws Exception {
        var keys = KeyStore.getInstance("PKCS12");
        try (var in = LocalTls.class.getResourceAsStream("localhost.p12")) {
            keys.load(in, PASSWORD);
        }
        var mine = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        mine.init(keys, PASSWORD);
        var trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trusted.init(keys);
        var context = SSLContext.getInstance("TLS");
        context.init(mine.getKeyManagers(), trusted.getTrustManagers(), null);
        return context;
    }
}
