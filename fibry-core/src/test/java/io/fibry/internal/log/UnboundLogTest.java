package io.fibry.internal.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.testing.Promise;
import java.util.List;
import java.util.ResourceBundle;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class UnboundLogTest {
    private final AtomicLong now = new AtomicLong();
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final org.slf4j.Logger logger = new UnboundLog(now::get, Sink::new).logger("io.fibry.some");

    private final class Sink implements System.Logger {
        private final String name;

        Sink(String name) {
            this.name = name;
        }

        @Override
        public String getName() {
            return name;
        }

        @Override
        public boolean isLoggable(Level level) {
            return true;
        }

        @Override
        public void log(Level level, @Nullable ResourceBundle bundle, String text,
                @Nullable Throwable thrown) {
            lines.add(name + " " + level + " " + text + (thrown == null ? "" : " " + thrown));
        }

        @Override
        public void log(Level level, @Nullable ResourceBundle bundle, String text,
                @Nullable Object @Nullable... arguments) {
            lines.add(name + " " + level + " " + text);
        }
    }

    private static IllegalStateException here(String text) {
        return new IllegalStateException(text);
    }

    @Promise("29.1")
    @Test
    void eachKindIsShownOnceAndTheFirstWithAdvice() {
        for (int n = 0; n < 50; n++) {
            logger.warn("actor '{}' failed {}", "a" + n, "on " + n, here("number " + n));
            logger.error("actor '{}' did not get a message of {}: {}", "b" + n, "Order", "STOPPED");
            logger.error("actor '{}' did not get a message of {}: {}", "b" + n, "Bill", "STOPPED");
            logger.info("not {}", n);
        }
        assertThat(lines).hasSize(4);
        assertThat(lines.get(0)).startsWith("io.fibry.some WARNING slf4j has no provider");
        assertThat(lines.subList(1, 4)).containsExactly(
                "io.fibry.some WARNING actor 'a0' failed on 0 java.lang.IllegalStateException: number 0",
                "io.fibry.some ERROR actor 'b0' did not get a message of Order: STOPPED",
                "io.fibry.some ERROR actor 'b0' did not get a message of Bill: STOPPED");
    }

    @Promise("29.1")
    @Test
    void aLineThatCouldNotBeWrittenIsFollowedByTheNextOfItsKind() {
        var isBroken = new AtomicBoolean(true);
        var breaking = new UnboundLog(now::get, name -> {
            if (isBroken.get()) {
                throw new LinkageError("no room to load a class");
            }
            return new Sink(name);
        }).logger("io.fibry.some");
        assertThatThrownBy(() -> breaking.warn("actor '{}' failed", "a", here("first")))
                .isInstanceOf(LinkageError.class);
        isBroken.set(false);
        for (int n = 0; n < 3; n++) {
            breaking.warn("actor '{}' failed", "a", here("later"));
        }
        assertThat(lines).filteredOn(line -> line.contains("actor 'a' failed")).hasSize(1);
    }

    @Promise("29.1")
    @Test
    void secondsAreCountedFromAnyTime() {
        now.set(Long.MIN_VALUE);
        var early = new UnboundLog(now::get, Sink::new).logger("io.fibry.some");
        for (int n = 0; n < 2 * UnboundLog.BURST; n++) {
            early.warn("server {} says {}", "x", "kind " + "k".repeat(n));
        }
        assertThat(lines).hasSize(1 + UnboundLog.BURST);
        now.addAndGet(TimeUnit.SECONDS.toNanos(1));
        early.warn("the next {}", "second");
        assertThat(lines).hasSize(2 + UnboundLog.BURST);
    }

    @Promise("29.1")
    @Test
    void noMoreThanSoManyLinesASecondAreShown() {
        for (int n = 0; n < 1_000; n++) {
            logger.warn("server {} says {}", "x", "kind " + "k".repeat(n));
        }
        assertThat(lines).hasSize(1 + UnboundLog.BURST);
        now.addAndGet(TimeUnit.SECONDS.toNanos(1));
        logger.warn("the next {}", "second");
        assertThat(lines).hasSize(2 + UnboundLog.BURST).last()
                .isEqualTo("io.fibry.some WARNING the next second");
    }

    /** What the limit has held back was not shown: it still is new. */
    @Promise("29.1")
    @Test
    void aKindThatCameInABurstIsShownWhenItComesAgain() {
        for (int n = 0; n <= UnboundLog.BURST; n++) {
            logger.warn("server {} says {}", "x", "kind " + "k".repeat(n));
        }
        assertThat(lines).hasSize(1 + UnboundLog.BURST);
        now.addAndGet(TimeUnit.SECONDS.toNanos(1));
        for (int n = 0; n <= UnboundLog.BURST; n++) {
            logger.warn("server {} says {}", "x", "kind " + "k".repeat(n));
        }
        assertThat(lines).hasSize(2 + UnboundLog.BURST).last().asString()
                .endsWith("kind " + "k".repeat(UnboundLog.BURST));
    }
}
