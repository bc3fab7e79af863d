package io.fibry.durable;

import io.fibry.ActorScope;
import io.fibry.durable.Bank.Transfer;
import java.util.concurrent.atomic.AtomicInteger;

/** The process that {@link KillTest} kills: it writes, and prints what was acknowledged, until it ends. */
public final class KilledBank {
    /** How many accounts are written to at the same time. */
    static final int ACCOUNTS = 8;
    /** How many threads write to the account {@code hot}, whose turns share commits. */
    static final int HOT = 4;

    private KilledBank() {
    }

    /**
     * Writes for ever.
     *
     * @param args the file
     */
    public static void main(String[] args) throws Exception {
        var store = DurableStore.open("file:" + args[0]);
        var scope = ActorScope.open("bank");
        var accounts = Bank.open(scope, Bank.durable(store).pipelined(), Bank.LONG, new AtomicInteger());
        for (int i = 0; i < ACCOUNTS; i++) {
            var account = "a" + i;
            Thread.ofVirtual().start(() -> {
                while (true) {
                    var answer = accounts.sendMessageReturn(new Transfer(account, "sum", 1)).join();
                    // The line leaves in one write, so that the parent reads whole lines or nothing.
                    System.out.println(account + " " + -answer.cents());
                }
            });
        }
        for (int i = 0; i < HOT; i++) {
            Thread.ofVirtual().start(() -> {
                while (true) {
                    var answer = accounts.sendMessageReturn(Bank.deposit("hot", 1)).join();
                    System.out.println("hot " + answer.cents());
                }
            });
        }
        Thread.currentThread().join();
    }
}
