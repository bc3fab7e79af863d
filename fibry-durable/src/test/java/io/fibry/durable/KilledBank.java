package io.fibry.durable;

import io.fibry.ActorScope;
import io.fibry.durable.Bank.Transfer;

/** The process that {@link KillTest} kills: it writes, and prints what was acknowledged, until it ends. */
public final class KilledBank {
    /** How many accounts are written to at the same time. */
    static final int ACCOUNTS = 8;

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
        var accounts = Bank.open(scope, store);
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
        Thread.currentThread().join();
    }
}
