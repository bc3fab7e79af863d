package io.fibry.examples;

import io.fibry.examples.Account.Balance;
import io.fibry.examples.Account.Refused;
import io.fibry.test.ActorTest;
import io.fibry.test.History;
import io.fibry.test.Model;
import io.fibry.test.TestSchedule;
import java.util.ArrayList;
import java.util.List;

/** The bank under many schedules: the answers are those of a bank that does one thing at a time. */
class BankScheduleTest {
    private sealed interface Call {
    }

    private record Transfer(int from, int to, long cents) implements Call {
    }

    private record Audit() implements Call {
    }

    /** A bank of two accounts with 100 cents each, which is so simple that it is right. */
    private record OneAtATime() implements Model<List<Long>, Call, Object> {
        @Override
        public List<Long> initial() {
            return List.of(100L, 100L);
        }

        @Override
        public Step<List<Long>, Object> apply(List<Long> balances, Call call) {
            return switch (call) {
                case Audit audit -> new Step<>(balances, balances.get(0) + balances.get(1));
                case Transfer t when balances.get(t.from) < t.cents -> new Step<>(balances,
                        new Refused("only " + balances.get(t.from) + " cents are there, not " + t.cents));
                case Transfer t -> {
                    var after = new ArrayList<>(balances);
                    after.set(t.from, balances.get(t.from) - t.cents);
                    after.set(t.to, balances.get(t.to) + t.cents);
                    yield new Step<>(List.copyOf(after), new Balance(after.get(t.from)));
                }
            };
        }
    }

    @ActorTest(seeds = 300)
    void eachTransferHappensAtOneMoment(TestSchedule schedule) throws Exception {
        var bank = new Bank(schedule.scope(), List.of("ann", "bob"), 100);
        var history = new History<Call, Object>();
        var random = schedule.random();
        var clerks = new ArrayList<Thread>();
        for (int clerk = 0; clerk < 3; clerk++) {
            clerks.add(schedule.start("clerk-" + clerk, () -> {
                for (int n = 0; n < 3; n++) {
                    int from = random.nextInt(2);
                    long cents = random.nextInt(1, 120);
                    history.record(new Transfer(from, 1 - from, cents),
                            () -> bank.transfer(from, 1 - from, cents));
                    history.record(new Audit(), bank::audit);
                }
            }));
        }
        for (var clerk : clerks) {
            clerk.join();
        }
        history.assertLinearizable(new OneAtATime());
    }
}
