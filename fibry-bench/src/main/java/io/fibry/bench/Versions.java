package io.fibry.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import kotlin.KotlinVersion;
import org.apache.pekko.Version;

/** The versions of other libraries that are measured. */
final class Versions {
    private Versions() {
    }

    static String asText() {
        return "Apache Pekko %s, Kotlin %s, kotlinx.coroutines %s".formatted(Version.current(),
                KotlinVersion.CURRENT, coroutines());
    }

    /** The file is in the jar of the library. */
    private static String coroutines() {
        try (var in = Objects.requireNonNull(
                KotlinVersion.class.getResourceAsStream("/META-INF/kotlinx_coroutines_core.version"))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            return "unknown";
        }
    }
}
