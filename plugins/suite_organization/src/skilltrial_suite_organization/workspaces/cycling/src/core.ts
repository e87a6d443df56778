/** Велосипед с номером на раме. */
export class Bike {
  constructor(
    readonly frame: string,
    readonly electric: boolean,
  ) {}
}

/** Станция, где велосипеды берут и возвращают. */
export class Station {
  constructor(
    readonly id: string,
    readonly address: string,
    readonly docks: number,
  ) {}
}

/** Поездка от станции до станции. */
export class Ride {
  finished: Date | null = null;

  constructor(
    readonly bike: Bike,
    readonly from: Station,
    readonly started: Date,
  ) {}

  minutes(now: Date): number {
    const end = this.finished ?? now;
    return Math.ceil((end.getTime() - this.started.getTime()) / 60_000);
  }
}

/** Цена поездки: первые полчаса 50 рублей, дальше 3 рубля за минуту. */
export class FarePolicy {
  roubles(ride: Ride, now: Date): number {
    const minutes = ride.minutes(now);
    return minutes <= 30 ? 50 : 50 + (minutes - 30) * 3;
  }
}
