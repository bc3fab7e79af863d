package io.fibry.bench.page;

import java.util.Locale;
import java.util.stream.Stream;

/** The groups of peers that have the same colour. */
enum Family {
    FIBRY("Fibry"), PEKKO("Apache Pekko"), KOTLIN("Kotlin"), GO("Go"), ERLANG("Erlang"), JDK("JDK, by hand");

    final String title;

    Family(String title) {
        this.title = title;
    }

    /** Returns the group of a peer by the first word of its name. A peer without a library is written by hand. */
    static Family of(String peer) {
        return Stream.of(FIBRY, PEKKO, KOTLIN, GO, ERLANG)
                .filter(family -> peer.equals(family.title) || peer.startsWith(family.title + " ")
                        || peer.startsWith(family.title + ","))
                .findFirst().orElse(JDK);
    }

    String style() {
        return name().toLowerCase(Locale.ROOT);
    }
}
