package io.fibry.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorSystem;
import io.fibry.durable.Durable;
import io.fibry.durable.DurableStore;
import io.fibry.testing.Promise;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

/** The figures of a store as meters. */
class DurableMetersTest {
    @Test
    @Promise("55.8")
    void aStoreHasMetersUntilTheyAreClosed() throws Exception {
        var registry = new SimpleMeterRegistry();
        try (var store = DurableStore.inMemory(); var scope = ActorSystem.open("site")) {
            var visits = Durable.stateOnly(store, "visits", Integer.class, 0).keyed(scope, String.class,
                    Integer.class,
                    page -> page, (self, page) -> {
                        self.persist(self.state() + 1);
                        return self.state();
                    });
            try (var meters = DurableMeters.of(store, registry)) {
                visits.sendMessageReturn("/shop").get();
                visits.sendMessageReturn("/home").get();
                assertThat(registry.get("fibry.durable.commits").functionCounter().count()).isEqualTo(2);
                assertThat(registry.get("fibry.durable.keys.loaded").tag("of", "visits").gauge().value())
                        .isEqualTo(2);
                assertThat(meters).isNotNull();
            }
            assertThat(registry.getMeters()).isEmpty();
        }
    }

    @Test
    @Promise("55.8")
    void aSecondStoreNeedsTagsOfItsOwn() {
        var registry = new SimpleMeterRegistry();
        var tagged = new CompositeMeterRegistry();
        tagged.add(registry);
        tagged.config().commonTags("store", "second");
        try (var first = DurableStore.inMemory();
                var second = DurableStore.inMemory();
                var meters = DurableMeters.of(first, registry)) {
            assertThatThrownBy(() -> DurableMeters.of(second, registry))
                    .isInstanceOf(IllegalStateException.class).hasMessageContaining("another store");
            assertThat(registry.find("fibry.durable.commits").meters()).hasSize(1);
            var others = DurableMeters.of(second, tagged);
            assertThat(registry.find("fibry.durable.commits").meters()).hasSize(2);
            others.close();
            assertThat(registry.find("fibry.durable.commits").meters()).hasSize(1);
            assertThat(meters).isNotNull();
        }
        assertThat(registry.getMeters()).isEmpty();
    }

    @Test
    void aRegistryThatThrowsKeepsNone() {
        var registry = new SimpleMeterRegistry();
        try (var store = DurableStore.inMemory()) {
            var last = store.figures().getLast().name();
            registry.config().meterFilter(MeterFilter.denyUnless(id -> {
                if (id.getName().endsWith(last)) {
                    throw new IllegalStateException("a failure of the test");
                }
                return true;
            }));
            assertThat(store.figures()).hasSizeGreaterThan(1);
            assertThatThrownBy(() -> DurableMeters.of(store, registry)).hasMessage("a failure of the test");
            assertThat(registry.getMeters()).isEmpty();
        }
    }
}
