package io.fibry.bench.orders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.bench.orders.Arrivals.Outcome;
import io.fibry.bench.orders.MeasuredShop.BusyException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ArrivalsTest {
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final Arrivals HUNDRED = new Arrivals(10_000, Duration.ofMillis(10), LONG);

    /** A shop that is one lambda. */
    private interface Handling extends MeasuredShop {
        @Override
        default void close() {
        }
    }

    @Test
    void whatIsServedAndWhatIsRefusedAddsUp() throws Exception {
        var orders = new AtomicInteger();

        Outcome outcome = HUNDRED.at((Handling) item -> {
            if (orders.incrementAndGet() % 4 == 0) {
                throw new BusyException("each fourth");
            }
        });

        assertThat(orders).hasValue(100);
        assertThat(outcome.served()).isEqualTo(75);
        assertThat(outcome.inTime()).isEqualTo(75);
        assertThat(outcome.refused()).isEqualTo(25);
    }

    @Test
    void ordersComeThoughNoneIsServed() throws Exception {
        var all = new CountDownLatch(100);

        Outcome outcome = HUNDRED.at((Handling) item -> {
            all.countDown();
            all.await(); // the first is not served before the last has come
        });

        assertThat(outcome.served()).isEqualTo(100);
        assertThat(outcome.millis(1)).isGreaterThanOrEqualTo(outcome.millis(0.5)).isPositive();
    }

    @Test
    void whatIsServedTooLateIsNotInTime() throws Exception {
        var arrivals = new Arrivals(10_000, Duration.ofMillis(1), Duration.ZERO);

        Outcome outcome = arrivals.at((Handling) item -> Thread.sleep(1));

        assertThat(outcome.served()).isEqualTo(10);
        assertThat(outcome.inTime()).isZero();
    }

    @Test
    void anOrderThatFailsFailsAll() {
        assertThatThrownBy(() -> HUNDRED.at((Handling) item -> {
            if (item == 50) {
                throw new SQLException("no such table");
            }
        })).hasRootCauseInstanceOf(SQLException.class).hasMessageContaining("no such table");
    }
}
