package io.fibry.bench.durable;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.bench.durable.StoreEngine.ByHand;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

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
            for (var kind : ByHand.values()) {
                deposit(engine.byHand(1, kind));
            }
        }
    }

    @Test
    void eachBankInPostgresHasItsDeposits() throws Exception {
        try (var engine = PostgresEngine.start(Duration.ofMillis(1))) {
            deposit(engine.actors(false));
            for (var kind : ByHand.values()) {
                deposit(engine.byHand(2, kind));
            }
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

    @ParameterizedTest
    @EnumSource
    void aSlowCommitTakesItsTime(ByHand kind) throws Exception {
        try (var engine = SqliteEngine.start(Duration.ofMillis(30)); var bank = engine.byHand(1, kind)) {
            long begin = System.nanoTime();
            bank.deposit(1);
            assertThat(Duration.ofNanos(System.nanoTime() - begin))
                    .isGreaterThanOrEqualTo(Duration.ofMillis(30));
        }
    }
}
