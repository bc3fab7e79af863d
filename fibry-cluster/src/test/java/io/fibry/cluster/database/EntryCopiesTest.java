package io.fibry.cluster.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.cluster.database.ClusterSession.Entry;
import io.fibry.testing.Promise;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class EntryCopiesTest {
    private static final String SERVER = "1";

    private final EntryCopies copies = new EntryCopies();

    EntryCopiesTest() {
        copies.belongTo(SERVER);
    }

    private static Entry entry(String key, String value, long version) {
        return new Entry("t", key, value == null ? null : value.getBytes(StandardCharsets.UTF_8), version);
    }

    private boolean see(String key, String value, long version) {
        return copies.see(entry(key, value, version), SERVER);
    }

    @Test
    void anOlderChangeNeverReplacesANewerOne() {
        assertThat(see("k", "new", 2)).isTrue();
        assertThat(see("k", "old", 1)).isFalse();
        assertThat(see("k", "new", 2)).isFalse();
        assertThat(copies.get("t", "k")).asString(StandardCharsets.UTF_8).isEqualTo("new");
    }

    /** Nodes that come and go leave entries, which must not be kept for ever. */
    @Test
    void whatWasRemovedIsForgottenAndStaysRemoved() {
        assertThat(see("k", "1", 1)).isTrue();
        assertThat(see("k", null, 2)).isTrue();
        assertThat(copies.haveMoreThan(List.of(entry("k", "1", 1)))).as("the removal was lost").isTrue();
        copies.complete(2);
        assertThat(see("k", "1", 1)).as("a frame that was late").isFalse();
        assertThat(copies.get("t", "k")).isNull();
        assertThat(copies.haveMoreThan(List.of(entry("k", "1", 1)))).as("the removal was lost").isTrue();
        assertThat(copies.haveMoreThan(List.of())).as("the database has forgotten it, too").isFalse();
        assertThat(copies.haveMoreThan(List.of(entry("k", null, 2)))).isFalse();
        assertThat(copies.haveMoreThan(List.of(entry("k", "2", 3)))).as("was added later").isFalse();
    }

    /** A node may have changed an entry, and been frozen before it told so, until another server was there, which has lost the change. */
    @Promise("92.6")
    @Test
    void whatAnotherServerHasToldIsLeftOut() {
        assertThat(see("k", "1", 1)).isTrue();
        copies.belongTo("2");
        assertThat(see("k", "2", 9)).isFalse();
        assertThat(copies.see(entry("k", "2", 2), "2")).isTrue();
        copies.forget();
        assertThat(copies.see(entry("k", "2", 2), "2")).isTrue();
    }
}
