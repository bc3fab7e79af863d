package io.fibry.net;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Objects;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The secret that a relay and its agents know. It is never sent: each side proves to the other that it knows the
 * secret. Secrets are immutable and thread-safe. The text of a secret does not reveal it.
 */
public final class RelaySecret {
    private static final int SHORTEST = 16;
    private static final String ALGORITHM = "HmacSHA256";

    private final SecretKeySpec key;

    private RelaySecret(byte[] secret) {
        if (secret.length < SHORTEST) {
            throw new IllegalArgumentException("the secret has " + secret.length + " bytes; it must have "
                    + SHORTEST + " or more, best random ones: a listener can try to guess a short one");
        }
        key = new SecretKeySpec(secret, ALGORITHM);
    }

    /**
     * Returns a secret that consists of bytes.
     *
     * @param secret 16 bytes or more; they are copied
     * @return the secret
     */
    public static RelaySecret of(byte[] secret) {
        return new RelaySecret(Objects.requireNonNull(secret, "secret"));
    }

    /**
     * Returns a secret that consists of the bytes of a text.
     *
     * @param secret 16 bytes or more in UTF-8
     * @return the secret
     */
    public static RelaySecret of(String secret) {
        return new RelaySecret(Objects.requireNonNull(secret, "secret").getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Returns the HMAC-SHA256 of a message, which proves that the secret is known.
     *
     * @param message the message
     * @return 32 bytes
     */
    public byte[] proof(byte[] message) {
        try {
            var mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            return mac.doFinal(message);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has " + ALGORITHM + ", this one has not", e);
        }
    }

    @Override
    public String toString() {
        return "RelaySecret";
    }
}
