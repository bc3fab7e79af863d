package io.fibry.bench.bank;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class ClientsTest {
    private static final int ACCOUNTS = 10;
    private static final Clients CLIENTS = new Clients(20, 50);

    /** A bank that makes no transfer, and whose books are given. */
    private record Careless(Books books) implements MeasuredBank {
        @Override
        public boolean transfer(int from, int to, long cents) {
            return true;
        }

        @Override
        public void close() {
            // nothing runs
        }
    }

    @Test
    void banksLoseNothingAndOnlyAsksInsideAsksAreRefused() throws Exception {
        for (var opening : List.<MeasuredBank.Opening>of(HeldBank::new, LockedBank::new,
                accounts -> new OwnThreads(new LockedBank(accounts)))) {
            try (var bank = opening.open(ACCOUNTS)) {
                assertThat(CLIENTS.use(bank, ACCOUNTS).made()).isEqualTo(1_000);
            }
        }
        try (var bank = new AskingBank(ACCOUNTS)) {
            var done = CLIENTS.use(bank, ACCOUNTS);

            assertThat(done.made() + done.refused()).isEqualTo(1_000);
        }
    }

    @Test
    void aBankThatLosesMoneyOrATransferIsFound() {
        assertThatThrownBy(() -> CLIENTS.use(new Careless(new Books(-1, 1_000)), ACCOUNTS))
                .isInstanceOf(AssertionError.class).hasMessageContaining("cents=-1");
        assertThatThrownBy(() -> CLIENTS.use(new Careless(new Books(0, 999)), ACCOUNTS))
                .isInstanceOf(AssertionError.class).hasMessageContaining("payments=999");
    }
}
