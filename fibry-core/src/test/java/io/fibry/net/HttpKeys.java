package io.fibry.net;

import io.fibry.testing.Child;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Keys of localhost, and trust in them. */
public final class HttpKeys {
    private static final String PASSWORD = "changeit";

    private HttpKeys() {
    }

    public static SSLContext selfSigned(Path folder) throws Exception {
        var file = folder.resolve("keys.p12");
        Child.tool("keytool", List.of("-genkeypair", "-alias", "localhost", "-keyalg", "EC", "-dname",
                "CN=localhost", "-ext", "san=dns:localhost,ip:127.0.0.1", "-storetype", "PKCS12", "-keystore",
                file.toString(), "-storepass", PASSWORD, "-validity", "1"));
        var store = KeyStore.getInstance("PKCS12");
        try (var in = Files.newInputStream(file)) {
            store.load(in, PASSWORD.toCharArray());
        }
        var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, PASSWORD.toCharArray());
        var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        var context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        return context;
    }
}
