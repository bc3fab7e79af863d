package io.fibry.bench.durable;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is measured does what it says: each bank keeps what was deposited, and finds it again. */
@Timeout(120)
class AccountsTest {
    private static void deposit(DurableAccounts bank) throws Exception {
        try (bank) {
            for (long account : List.of(1L, 2L, 1L)) {
                bank.deposit(account);
            }
            assertThat(bank.deposits()).isEqualTo(3);
        }
    }

    @Test
    void eachBankInAFileHasItsDeposits() throws Exception {
        try (var engine = SqliteEngine.start(Duration.ZERO)) {
            deposit(engine.actors(false));
            deposit(engine.actors(true));
            deposit(engine.byHand(1, false));
            deposit(engine.byHand(1, true));
        }
    }

    @Test
    void eachBankInPostgresHasItsDeposits() throws Exception {
        try (var engine = PostgresEngine.start(Duration.ofMillis(1))) {
            deposit(engine.actors(false));
            deposit(engine.byHand(2, false));
            deposit(engine.byHand(2, true));
            deposit(engine.pekko());
        }
    }

    @Test
    void aBankThatBeginsAgainHasAllDepositsOfEachAccount() throws Exception {
        try (var engine = SqliteEngine.start(Duration.ZERO)) {
            var restart = Restart.of(engine, 50, 3);
            assertThat(restart.accounts()).isEqualTo(50);
            assertThat(restart.millisUntilAnswered(1)).isPositive();
            assertThat(restart.millisUntilAnswered(50)).isPositive();
        }
    }

    @Test
    void aSlowCommitTakesItsTime() throws Exception {
        try (var engine = SqliteEngine.start(Duration.ofMillis(30)); var bank = engine.byHand(1, false)) {
            long begin = System.nanoTime();
            bank.deposit(1);
            assertThat(Duration.ofNanos(System.nanoTime() - begin))
                    .isGreaterThanOrEqualTo(Duration.ofMillis(30));
        }
    }
}
