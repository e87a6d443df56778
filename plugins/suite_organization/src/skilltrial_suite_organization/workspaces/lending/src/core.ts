/** A copy on the shelf, known by its number. */
export class Book {
  constructor(
    readonly number: string,
    readonly title: string,
    readonly author: string,
  ) {}
}

/** Somebody with a library card. */
export class Member {
  constructor(
    readonly card: string,
    readonly name: string,
    readonly joined: Date,
  ) {}
}

/** A book that a member has taken home. */
export class Loan {
  renewals = 0;

  constructor(
    readonly book: Book,
    readonly member: Member,
    readonly due: Date,
  ) {}

  isLate(today: Date): boolean {
    return today.getTime() > this.due.getTime();
  }
}

/** What a late loan costs: nothing for three days, then ten cents a day. */
export class LateFeePolicy {
  cents(loan: Loan, today: Date): number {
    const days = Math.floor((today.getTime() - loan.due.getTime()) / 86_400_000);
    return days <= 3 ? 0 : (days - 3) * 10;
  }
}
