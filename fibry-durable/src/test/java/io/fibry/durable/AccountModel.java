package io.fibry.durable;

import io.fibry.test.Model;

/** An account of each key, as calls to a {@link Bank} see it. */
public final class AccountModel implements Model<Long, AccountModel.Call, Long> {
    /** A deposit, or a look at the account if there are no cents. */
    public record Call(String account, long cents) {
    }

    @Override
    public Long initial() {
        return 0L;
    }

    @Override
    public Step<Long, Long> apply(Long cents, Call call) {
        return new Step<>(cents + call.cents(), cents + call.cents());
    }

    @Override
    public Object key(Call call) {
        return call.account();
    }
}
