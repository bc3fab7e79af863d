package io.fibry.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorException;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.durable.Bank.Answer;
import io.fibry.durable.Bank.Command;
import io.fibry.durable.Bank.Deposit;
import io.fibry.durable.Bank.Look;
import io.fibry.keyed.KeyedActors;
import io.fibry.test.History;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Many clients of two processes deposit into the same accounts and look at them, while the store fails now and then, before and
 * after it has written. What failed is sent again with its id. The answers must be those of one account for each key that handles
 * one message at a time.
 */
@Timeout(120)
class DurableHistoryTest {
    private static final List<String> ACCOUNTS = List.of("a", "b", "c");
    private static final int CLIENTS = 8;
    private static final int CALLS = 60;

    /** What goes wrong with a commit. */
    private interface Fault {
        /** Returns what of the turns is written, and is told so; or throws. */
        BitSet commit(int number, List<Journal.Turn> turns, Journal journal) throws Exception;
    }

    private static BitSet failing(int number, List<Journal.Turn> turns, Journal journal) throws Exception {
        if (number % 11 == 0) {
            throw new IllegalStateException("disk on fire");
        }
        var written = journal.commit(turns);
        if (number % 13 == 0) {
            throw new IllegalStateException("connection cut");
        }
        return written;
    }

    /** The bug: turns that another process has fenced are taken for written. */
    private static BitSet believing(int number, List<Journal.Turn> turns, Journal journal) throws Exception {
        journal.commit(turns);
        var believed = new BitSet();
        believed.set(0, turns.size());
        return believed;
    }

    private static History<AccountModel.Call, Long> history(boolean pipelined, Fault fault) throws Exception {
        var commits = new AtomicInteger();
        var journal = new ForwardingJournal() {
            @Override
            public BitSet commit(List<Turn> turns) throws Exception {
                return fault.commit(commits.incrementAndGet(), turns, memory());
            }
        };
        var history = new History<AccountModel.Call, Long>();
        try (var first = DurableStore.of(journal, CommitOptions.defaults());
                var second = DurableStore.of(journal, CommitOptions.defaults());
                var here = ActorSystem.open("first");
                var there = ActorSystem.open("second");
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var processes = List.of(open(here, first, pipelined), open(there, second, pipelined));
            var clients = new ArrayList<Future<?>>();
            for (int i = 0; i < CLIENTS; i++) {
                int client = i;
                clients.add(threads.submit(() -> {
                    var random = new SplittableRandom(client);
                    for (int call = 0; call < CALLS; call++) {
                        var account = ACCOUNTS.get(random.nextInt(ACCOUNTS.size()));
                        long cents = random.nextInt(3);
                        var command = cents == 0
                                ? new Look(account)
                                : new Deposit(account, cents, Optional.of(client + "/" + call));
                        history.record(new AccountModel.Call(account, cents),
                                () -> repeated(processes.get(client % 2), command));
                    }
                    return null;
                }));
            }
            for (var client : clients) {
                client.get();
            }
        }
        assertThat(history.size()).isEqualTo(CLIENTS * CALLS);
        return history;
    }

    private static KeyedActors<String, Command, Answer> open(ActorScope scope, DurableStore store,
            boolean pipelined) {
        var durable = Bank.durable(store).confirmReads().snapshotEvery(5);
        return Bank.open(scope, pipelined ? durable.pipelined() : durable, Bank.LONG, new AtomicInteger());
    }

    private static long repeated(KeyedActors<String, Command, Answer> accounts, Command command)
            throws Exception {
        while (true) {
            try {
                return Waits.on(accounts.sendMessageReturn(command)).cents();
            } catch (ExecutionException e) {
                assertThat(e.getCause()).isInstanceOf(ActorException.class);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Promise({"64.1", "64.2", "65.2", "66.2"})
    void theAnswersOfTwoProcessesAreThoseOfOneAccount(boolean pipelined) throws Exception {
        history(pipelined, DurableHistoryTest::failing).assertLinearizable(new AccountModel());
    }

    @Test
    void aStoreThatAcknowledgesWhatIsFencedIsFound() throws Exception {
        var history = history(false, DurableHistoryTest::believing);
        assertThatThrownBy(() -> history.assertLinearizable(new AccountModel()))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("not linearizable");
    }
}
