package io.fibry.cluster.infinispan;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;

/** Certificates for tests, which their owners have signed themselves. */
final class KeyStores {
    static final String PASSWORD = "not a secret";

    private KeyStores() {
    }

    /** Makes a file with a key and its certificate. */
    static Path make(Path folder, String name) throws Exception {
        var file = folder.resolve(name + ".p12");
        var made = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair", "-alias", name, "-keyalg", "EC", "-groupname", "secp256r1", "-validity", "2",
                "-dname", "CN=" + name, "-storetype", "PKCS12", "-keystore", file.toString(), "-storepass",
                PASSWORD).inheritIO().start();
        assertThat(made.waitFor()).isZero();
        return file;
    }
}
